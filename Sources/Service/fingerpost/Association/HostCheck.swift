package import AppAssociation
package import LinkRouting
package import Networking

/// Examines the file that one host serves for one platform.
package struct HostCheck {
    let target: DoctorTarget
    let platform: AssociationPlatform
    private let app: String?
    let http: OutboundHTTP
    /// Apple's CDN; nil if it must not be queried.
    private let cdn: CDN?
    package private(set) var answers: [Response] = []
    package internal(set) var files: [AssociationReport.File] = []
    /// The file, if the host responds with status 200.
    private(set) var served: [UInt8]?
    /// The files that the served file includes.
    var included: [[UInt8]] = []

    /// A requested URL and its result.
    package struct Response {
        package let url: String
        package let result: Result<OutboundHTTP.Response, OutboundHTTP.Failure>

        package var isFile: Bool { (try? result.get())?.status == 200 }
    }

    /// The base URL of the CDN, and the HTTP client for it.
    package typealias CDN = (base: String, http: OutboundHTTP)

    package init(_ target: DoctorTarget, _ platform: AssociationPlatform, app: String?, http: OutboundHTTP, cdn: CDN?) {
        self.target = target
        self.platform = platform
        self.app = app
        self.http = http
        self.cdn = platform == .ios ? cdn : nil
    }

    package mutating func run() async {
        let answer = await ask(url(of: target.host), by: http)
        var findings: [AssociationFinding]
        switch answer.result {
        case .success(let response):
            findings = validate(response)
            if response.status == 200 { served = response.body }
        case .failure(let failure): findings = [unanswered(failure)]
        }
        if let served, platform == .android { findings += await followIncludes(of: served) }
        if await isOnlyAtTheRoot() { findings.append(rootOnlyFinding) }
        if let app, let served, !([served] + included).contains(where: { names(app, in: $0) }) {
            findings.append(
                finding(
                    platform.codes.appNotNamed,
                    .error,
                    "The file does not list '\(app)', so no link on the host opens that app.",
                    fix: "Add the app to the file, or correct --app; identifiers are case-sensitive."
                )
            )
        }
        if let cdn { findings += await cdnFindings(cdn) }
        files.append(AssociationReport.File(answer.url, findings, bytes: served))
        if let twin = target.twin { await examine(twin: twin) }
        advise()
    }

    /// Compares the served file with the published one, which is nil if nothing is published for the host.
    package mutating func compare(with published: [UInt8]?) {
        guard let served, !files.isEmpty else { return }
        guard let published else {
            files[0].findings.append(
                finding(
                    platform.codes.notPublished,
                    .error,
                    "The host serves a file, but no tenant lists the host.",
                    fix: "Add '\(target.host)' to the domains of the tenant's settings."
                )
            )
            return
        }
        guard served != published, let difference = Self.difference(served, published) else { return }
        files[0].findings.append(
            AssociationFinding(
                platform.codes.notPublished,
                .error,
                pointer: difference.pointer,
                position: difference.position,
                message: "The host does not serve the published file; the first difference is at "
                    + (difference.pointer.isEmpty ? "the root" : "'\(difference.pointer)'") + ".",
                fix: "Forward /.well-known/\(platform.fileName) to Fingerpost, or copy the published file to the host."
            )
        )
    }

    // MARK: Requests

    mutating func ask(_ url: String, by http: OutboundHTTP) async -> Response {
        let headers = [("User-Agent", platform == .ios ? "AASA-Bot/1.0.0" : "fingerpost-doctor"), ("Accept", "*/*")]
        let result: Result<OutboundHTTP.Response, OutboundHTTP.Failure>
        do throws(OutboundHTTP.Failure) {
            result = .success(try await http.get(url, headers: headers))
        } catch {
            result = .failure(error)
        }
        let answer = Response(url: url, result: result)
        answers.append(answer)
        return answer
    }

    private func url(of host: String) -> String {
        "https://\(host)\(target.port.map { ":\($0)" } ?? "")/.well-known/\(platform.fileName)"
    }

    private mutating func cdnFindings(_ cdn: CDN) async -> [AssociationFinding] {
        let answer = await ask("\(cdn.base)/\(target.host)", by: cdn.http)
        switch answer.result {
        case .success(let response):
            return AppleCDNResponse(
                status: response.status,
                failureReason: response.header("Apple-Failure-Reason"),
                triedURL: response.header("Apple-From"),
                body: response.body
            ).findings(origin: served)
        case .failure(let failure):
            return [
                finding(
                    .cdnFailure,
                    .info,
                    "The request to Apple's CDN failed: \(failure.reason).",
                    fix: "Allow this machine to reach the CDN, or skip it with --no-cdn."
                )
            ]
        }
    }

    /// Checks the twin, because devices treat `acme.com` and `www.acme.com` as two domains. The file of a wildcard is
    /// on the domain itself.
    private mutating func examine(twin: String) async {
        let answer = await ask(url(of: twin), by: http)
        if case .failure(let failure) = answer.result, failure.kind == .unknownHost { return }
        if served == nil, answer.isFile {
            let explanation =
                target.isWildcard ? "the file of '*.\(target.host)' is read from '\(target.host)' itself" : ""
            files[0].findings.append(
                finding(
                    platform.codes.hostNotCovered,
                    .error,
                    "'\(twin)' serves the file and '\(target.host)' does not"
                        + (explanation.isEmpty ? "." : ": \(explanation)."),
                    fix: "Serve the file on '\(target.host)' as well, with status 200."
                )
            )
        } else if served != nil, !answer.isFile, !target.isWildcard {
            files.append(
                AssociationReport.File(
                    answer.url,
                    [
                        finding(
                            platform.codes.hostNotCovered,
                            .warning,
                            "'\(twin)' does not serve the file: \(answer.summary). Links to it stay in the browser.",
                            fix: "Serve the file there as well and list the host in the app, or do not link to it."
                        )
                    ]
                )
            )
        }
    }

    /// Adds Apple's advice for links that stay in the browser although the file is correct.
    private mutating func advise() {
        guard platform == .ios, served != nil, files.allSatisfy({ $0.findings.allSatisfy { $0.severity != .error } })
        else { return }
        files[0].findings.append(
            finding(
                .testAdvice,
                .info,
                "A link still stays in the browser when it is typed, tapped on a page of the same domain or opened by a "
                    + "script, or when the user has chosen the browser for this domain.",
                fix:
                    "Tap a link in Notes or Messages, on a device where the app was installed after the file was served."
            )
        )
    }

    // MARK: Findings

    private func validate(_ response: OutboundHTTP.Response) -> [AssociationFinding] {
        let hosting = AssociationHosting(
            status: response.status,
            redirect: response.header("Location"),
            contentType: response.header("Content-Type")
        )
        return switch platform {
        case .ios: AppleAppSiteAssociation.validate(response.body, hosting: hosting)
        case .android: AssetLinks.validate(response.body, hosting: hosting)
        }
    }

    private func unanswered(_ failure: OutboundHTTP.Failure) -> AssociationFinding {
        guard failure.kind != .tooLarge || platform == .android else {
            return finding(
                .tooLarge,
                .error,
                "\(failure.reason); iOS reads at most \(AppleAppSiteAssociation.maximumBytes).",
                fix: "Merge rules with wildcards, or write one rule {\"/\": \"*\"}."
            )
        }
        let fix =
            switch failure.kind {
            case .unknownHost: "Add a DNS record for the name, or correct it."
            case .privateAddress:
                "Devices and Apple's CDN cannot reach it. To check it anyway, add --allow-private RANGE."
            case .notTrusted: "Install a certificate of a public CA for this exact host, with its full chain."
            case .timedOut: "Respond within five seconds to all clients, from everywhere."
            case .tooLarge: "Serve the statement list itself."
            case .unreachable: "Serve HTTPS on port 443 of this host."
            }
        return finding(platform.codes.notServed, .error, "The request failed: \(failure.reason).", fix: fix)
    }

    private func names(_ app: String, in file: [UInt8]) -> Bool {
        switch platform {
        case .ios:
            (try? AppleAppSiteAssociation(parsing: file))?.applinks?.details.contains { $0.appIDs.contains(app) }
                ?? false
        case .android: (try? AssetLinks(parsing: file))?.statements.contains { $0.packageName == app } ?? false
        }
    }

    func finding(
        _ code: AssociationFinding.Code,
        _ severity: Finding.Severity,
        _ message: String,
        fix: String
    ) -> AssociationFinding {
        AssociationFinding(code, severity, message: message, fix: fix)
    }

    /// Returns the first difference in content between two files; nil if they differ only in formatting, or if one
    /// cannot be parsed.
    private static func difference(_ served: [UInt8], _ published: [UInt8]) -> JSONNode.Difference? {
        let limits = JSONReader.Limits(maximumBytes: 1 << 20)
        guard let left = try? JSONReader.parse(served, limits: limits),
            let right = try? JSONReader.parse(published, limits: limits)
        else { return nil }
        return left.difference(to: right)
    }
}

extension HostCheck.Response {
    /// `200 application/json, 1234 bytes`, or the reason for the failure.
    package var summary: String {
        switch result {
        case .success(let response):
            ["\(response.status)", response.header("Location").map { "to \($0)" }, response.header("Content-Type")]
                .compactMap(\.self).joined(separator: " ") + ", \(response.body.count) bytes"
        case .failure(let failure): failure.reason
        }
    }

    package var text: String { "\(url): \(summary)" }

    package var json: JSONNode {
        switch result {
        case .success(let response):
            .object([
                "url": .string(url), "status": .int(response.status), "bytes": .int(response.body.count),
                "contentType": response.header("Content-Type").map(JSONNode.string),
                "location": response.header("Location").map(JSONNode.string),
            ])
        case .failure(let failure): .object(["url": .string(url), "failure": .string(failure.reason)])
        }
    }
}

extension AssociationPlatform {
    package typealias Codes = (
        notServed: AssociationFinding.Code, hostNotCovered: AssociationFinding.Code,
        notPublished: AssociationFinding.Code, appNotNamed: AssociationFinding.Code
    )

    /// The platform's finding codes for the same mistakes.
    package var codes: Codes {
        switch self {
        case .ios: (.notServed, .hostNotCovered, .notPublished, .appNotNamed)
        case .android:
            (.androidNotServed, .androidHostNotCovered, .androidNotPublished, .androidAppNotNamed)
        }
    }
}
