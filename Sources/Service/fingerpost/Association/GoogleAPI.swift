import AppAssociation
import LinkRouting
package import Networking

/// Google's Digital Asset Links API: its base URL, and the HTTP client for it.
package struct GoogleAPI {
    let base: String
    let http: OutboundHTTP

    package init(base: String, http: OutboundHTTP) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.http = http
    }
}

extension HostCheck {
    /// The maximum number of apps that are checked one by one.
    private static let mostChecks = 8

    /// Asks Google for the apps that it links to the host, and compares them with the published file, else with the
    /// served one.
    package mutating func ask(_ google: GoogleAPI, published: [UInt8]?) async {
        guard !files.isEmpty else { return }
        let site = "https://\(target.host)\(target.port.map { ":\($0)" } ?? "")"
        var findings: [AssociationFinding]
        switch await ask(google.base + GoogleResponse.listQuery(site: site), by: google.http).result {
        case .success(let response):
            let answer = GoogleResponse(status: response.status, body: response.body)
            findings = answer.findings(served: statements, published: published)
            if answer.refusal == nil { findings += await check(published ?? statements ?? [], of: site, google) }
        case .failure(let failure): findings = [GoogleResponse.unanswered(failure.reason)]
        }
        files[0].findings += findings
    }

    private mutating func check(_ file: [UInt8], of site: String, _ google: GoogleAPI) async -> [AssociationFinding] {
        var findings: [AssociationFinding] = []
        for app in GoogleResponse.linkedApps(of: file).sorted().prefix(Self.mostChecks) {
            switch await ask(google.base + GoogleResponse.checkQuery(site: site, app: app), by: google.http).result {
            case .success(let response):
                let answer = GoogleResponse(status: response.status, body: response.body)
                findings += answer.findings(checking: app)
                // A limited rate stays limited for the next request.
                if answer.refusal != nil { return findings }
            case .failure(let failure): return findings + [GoogleResponse.unanswered(failure.reason)]
            }
        }
        return findings
    }

    /// The served file with the statements of its includes.
    private var statements: [UInt8]? {
        guard let served, !included.isEmpty, let file = try? AssetLinks(parsing: served) else { return served }
        let others = included.compactMap { try? AssetLinks(parsing: $0) }
        return Array(file.appending(others).root.json().utf8)
    }
}
