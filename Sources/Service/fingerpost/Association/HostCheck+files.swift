import AppAssociation
import LinkRouting
import Networking

extension HostCheck {
    /// The maximum number of included files that are fetched.
    private static let mostIncludes = 10

    /// Fetches the files that a statement list includes, one level deep, as Android does. Returns the findings on the
    /// includes; a fetched file is reported under its own URL.
    mutating func followIncludes(of file: [UInt8]) async -> [AssociationFinding] {
        guard let list = try? AssetLinks(parsing: file) else { return [] }
        let includes = list.includes
        var findings: [AssociationFinding] = []
        if includes.count > Self.mostIncludes {
            findings.append(
                finding(
                    .include,
                    .warning,
                    "The file includes \(includes.count) others; only the first \(Self.mostIncludes) were fetched.",
                    fix: "Write the statements into the file itself."
                )
            )
        }
        // A validation of the file reports an include that is not https.
        for include in includes.prefix(Self.mostIncludes) where include.url.lowercased().hasPrefix("https://") {
            let answer = await ask(include.url, by: http)
            guard case .success(let response) = answer.result, response.status == 200 else {
                findings.append(
                    AssociationFinding(
                        .include,
                        .error,
                        pointer: include.pointer,
                        position: include.position,
                        message: "The included file '\(include.url)' is not served: \(answer.summary).",
                        fix: "Serve it with status 200 and without redirect, or write its statements here."
                    )
                )
                continue
            }
            included.append(response.body)
            files.append(AssociationReport.File(include.url, validate(included: response.body), bytes: response.body))
        }
        return findings
    }

    private func validate(included body: [UInt8]) -> [AssociationFinding] {
        var findings = AssetLinks.validate(body)
        if let nested = (try? AssetLinks(parsing: body))?.includes.first {
            findings.append(
                AssociationFinding(
                    .include,
                    .warning,
                    pointer: nested.pointer,
                    position: nested.position,
                    message: "An included file includes '\(nested.url)'; Android follows only one level.",
                    fix: "Include that file from the host's own file."
                )
            )
        }
        return findings
    }

    /// Returns whether the host serves Apple's file at the root and not in `.well-known`.
    mutating func isOnlyAtTheRoot() async -> Bool {
        guard platform == .ios, !isFile(served), case .success? = answers.first?.result else { return false }
        guard case .success(let response) = await ask(rootURL, by: http).result, response.status == 200 else {
            return false
        }
        return isFile(response.body)
    }

    var rootOnlyFinding: AssociationFinding {
        finding(
            .rootOnly,
            .error,
            "The file is at '\(rootURL)' but not in '/.well-known/'. Apple's CDN reads only '/.well-known/', so no link "
                + "on the host opens an app.",
            fix: "Serve the same file at /.well-known/apple-app-site-association, without a redirect."
        )
    }

    private var rootURL: String {
        "https://\(target.host)\(target.port.map { ":\($0)" } ?? "")/\(platform.fileName)"
    }

    private func isFile(_ body: [UInt8]?) -> Bool {
        body.flatMap { try? AppleAppSiteAssociation(parsing: $0) }?.root.members != nil
    }
}
