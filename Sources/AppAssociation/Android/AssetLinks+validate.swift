import LinkRouting

extension AssetLinks {
    /// Everything about a file that Android, or Google's verifier, takes otherwise than its author meant. Any bytes have an
    /// answer. In the order of ``AssociationFinding/precedes(_:_:)``; of one code at most 100.
    /// - Parameter hosting: How the file is served, where that is known.
    public static func validate(_ bytes: [UInt8], hosting: Hosting? = nil) -> [AssociationFinding] {
        var findings = AndroidFindings()
        if let hosting { hosting.judge(&findings) }
        do {
            AndroidFileInspection.inspect(try AssetLinks(parsing: bytes), &findings)
        } catch {
            let code: AssociationFinding.Code = error.kind == .html ? .androidHTML : .androidInvalidJSON
            findings.add(
                code,
                "",
                error.position,
                "The file is not JSON: \(error.message) Android drops the whole file, so that no app is verified.",
                fix: error.kind == .html
                    ? "Serve the JSON file itself at /.well-known/assetlinks.json; this is usually a catch-all page."
                    : "Correct the file at this place."
            )
        }
        return findings.sorted
    }

    /// How a file is served. Android fetches `https://HOST/.well-known/assetlinks.json` on each host of the manifest.
    public struct Hosting: Sendable, Hashable {
        public var status: Int
        /// The `Location` of a redirect.
        public var redirect: String?
        public var contentType: String?

        public init(status: Int, redirect: String? = nil, contentType: String? = nil) {
            self.status = status
            self.redirect = redirect
            self.contentType = contentType
        }

        fileprivate func judge(_ findings: inout AndroidFindings) {
            let place = AssociationFinding.wholeFile
            guard status == 200 else {
                guard (300..<400).contains(status) else {
                    return findings.add(
                        .androidNotServed,
                        "",
                        place,
                        "The URL answers with status \(status); to Android the site makes no statement.",
                        fix: "Answer with status 200 to everybody on every host of the manifest."
                    )
                }
                let target = redirect.map { " to '\($0)'" } ?? ""
                return findings.add(
                    .androidRedirect,
                    "",
                    place,
                    "The URL redirects\(target) with status \(status); Android does not follow.",
                    fix: "Answer with status 200 on this very host."
                )
            }
            let type = contentType?.split(separator: ";").first.map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard type != "application/json" else { return }
            findings.add(
                .androidContentType,
                "",
                place,
                "The content type is '\(contentType ?? "")'; Google asks for application/json and may refuse another.",
                fix: "Send 'Content-Type: application/json'."
            )
        }
    }
}
