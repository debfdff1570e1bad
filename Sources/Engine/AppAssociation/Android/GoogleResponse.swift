import LinkRouting

/// A response of Google's Digital Asset Links API about a host. Devices with Google services ask this API.
///
/// Source: developers.google.com/digital-asset-links/reference/rest, methods `statements.list` and `assetlinks.check`.
/// `debugString` is for people and is only quoted.
public struct GoogleResponse: Sendable, Hashable {
    /// The apps that the API lists as linked to the host. Nil if the response is not a list of statements.
    public let apps: Set<LinkedApp>?
    /// Whether the assets of an `assetlinks:check` are linked; nil for another response.
    public let isLinked: Bool?
    public let errorCodes: [String]
    public let debugString: String?
    /// The time for which Google keeps the answer, such as `599.9s`.
    public let maxAge: String?
    /// Why there is no answer; nil if there is one.
    public let refusal: String?

    /// An app with one certificate.
    public struct LinkedApp: Sendable, Hashable, Comparable {
        public let package: String
        public let fingerprint: String

        public init(package: String, fingerprint: String) {
            self.package = package
            self.fingerprint = fingerprint
        }

        public static func < (left: Self, right: Self) -> Bool {
            (left.package, left.fingerprint) < (right.package, right.fingerprint)
        }
    }

    /// The maximum number of bytes of a response that is parsed.
    public static let maximumBytes = 1 << 20
    /// The maximum number of characters of Google's text that a finding quotes.
    private static let longestQuote = 300

    /// Reads a response. Any bytes are valid input.
    public init(status: Int, body: [UInt8]) {
        let limits = JSONReader.Limits(maximumBytes: Self.maximumBytes, maximumDepth: 32)
        let node = try? JSONReader.parse(body, limits: limits)
        errorCodes = node?["errorCode"]?.texts ?? []
        debugString = node?["debugString"]?.text
        maxAge = node?["maxAge"]?.text
        let isAnswer = status == 200 && node?.members != nil
        isLinked = isAnswer ? node?["linked"]?.bool : nil
        apps = isAnswer ? Self.apps(node?["statements"]?.elements ?? []) : nil
        let message = node?["error"]?["message"]?.text.map { ": \($0.prefix(Self.longestQuote))" } ?? ""
        refusal =
            switch status {
            case 200: isAnswer ? nil : "its answer is not JSON"
            case 429: "it limits the rate of requests (429)\(message)"
            default: "it answers with status \(status)\(message)"
            }
    }

    private static func apps(_ statements: [JSONNode]) -> Set<LinkedApp> {
        var apps: Set<LinkedApp> = []
        for statement in statements where statement["relation"]?.text == StatementRelation.handleAllURLs.description {
            guard let app = statement["target"]?["androidApp"], let package = app["packageName"]?.text,
                let fingerprint = app["certificate"]?["sha256Fingerprint"]?.text
            else { continue }
            apps.insert(LinkedApp(package: package, fingerprint: fingerprint))
        }
        return apps
    }

    // MARK: Queries

    /// Returns the path and query that list the statements of a site, such as `https://www.acme.com`.
    public static func listQuery(site: String) -> String {
        "/v1/statements:list?source.web.site=\(escaped(site))&relation=\(relation)"
    }

    /// Returns the path and query that check whether an app is linked to a site.
    public static func checkQuery(site: String, app: LinkedApp) -> String {
        "/v1/assetlinks:check?source.web.site=\(escaped(site))&relation=\(relation)"
            + "&target.androidApp.packageName=\(escaped(app.package))"
            + "&target.androidApp.certificate.sha256Fingerprint=\(escaped(app.fingerprint))"
    }

    private static var relation: String { escaped(StatementRelation.handleAllURLs.description) }

    private static func escaped(_ text: String) -> String {
        let plain = ByteSet.letters.union(.digits).union(ByteSet("-._~"))
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: text.utf8.flatMap { byte in
                plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            },
            as: UTF8.self
        )
    }

    // MARK: Findings

    /// Returns the findings on a list of statements.
    /// - Parameters:
    ///   - served: The file that the host serves; nil if it serves none.
    ///   - published: The file that the table generates; nil if it is not known.
    public func findings(served: [UInt8]?, published: [UInt8]?) -> [AssociationFinding] {
        if let unanswered { return [unanswered] }
        var findings = errorFindings
        guard let apps, let expected = (published ?? served).map(Self.linkedApps) else { return findings }
        let source = published == nil ? "The host's file" : "The published file"
        let age = maxAge.map { " Google keeps its answer for \($0) more." } ?? ""
        if let app = expected.subtracting(apps).min() {
            findings.append(
                Self.finding(
                    .googleDiffers,
                    "\(source) links \(app.description), and Google's API does not list it"
                        + Self.more(expected.subtracting(apps).count) + ".\(age)",
                    fix: "Serve the file with this app on the host, then wait until Google reads it again."
                )
            )
        }
        if let app = apps.subtracting(expected).min() {
            findings.append(
                Self.finding(
                    .googleDiffers,
                    "Google's API lists \(app.description), which \(source.lowercased()) does not link"
                        + Self.more(apps.subtracting(expected).count) + ".\(age)",
                    fix: "Wait until Google reads the file again; if the app is yours, add it to the table."
                )
            )
        }
        return findings
    }

    /// Returns the findings on a check of one app.
    public func findings(checking app: LinkedApp) -> [AssociationFinding] {
        if let unanswered { return [unanswered] }
        guard isLinked != true else { return [] }
        return [
            Self.finding(
                .googleNotLinked,
                "Google's API does not link \(app.description) to the host\(quote).",
                fix:
                    "Links open the app only if this certificate signs it and the host serves a valid file that lists it."
            )
        ]
    }

    /// Returns the finding for a request without a response.
    public static func unanswered(_ reason: String) -> AssociationFinding {
        finding(
            .googleUnanswered,
            "Google's Digital Asset Links API was queried, but \(reason).",
            fix: "Ask again later, allow this machine to reach the API, or skip it with --no-google."
        )
    }

    private var unanswered: AssociationFinding? { refusal.map(Self.unanswered) }

    private var errorFindings: [AssociationFinding] {
        guard !errorCodes.isEmpty else { return [] }
        let codes = errorCodes.prefix(5).map { $0.hasPrefix("ERROR_CODE_") ? String($0.dropFirst(11)) : $0 }
        return [
            Self.finding(
                .googleError,
                "Google's API reports \(codes.joined(separator: ", "))\(quote).",
                fix:
                    "Serve the file as valid JSON at /.well-known/assetlinks.json, with status 200 and without redirect."
            )
        ]
    }

    private var quote: String {
        guard let text = debugString, !text.isEmpty else { return "" }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return ": '\(line.prefix(Self.longestQuote))'"
    }

    private static func more(_ count: Int) -> String { count > 1 ? " (and \(count - 1) more)" : "" }

    private static func finding(
        _ code: AssociationFinding.Code,
        _ message: String,
        fix: String
    ) -> AssociationFinding {
        let severity = AssociationFinding.androidCatalogue.first { $0.code == code }?.severity ?? .error
        return AssociationFinding(code, severity, message: message, fix: fix)
    }

    /// Returns the apps and certificates that a file links to its host. A file that cannot be parsed links none.
    public static func linkedApps(of file: [UInt8]) -> Set<LinkedApp> {
        var apps: Set<LinkedApp> = []
        for statement in (try? AssetLinks(parsing: file))?.statements ?? [] {
            guard case .success(.relations(let relations, let targets)) = statement.content,
                relations.contains(StatementRelation.handleAllURLs)
            else { continue }
            for case .androidApp(let package, let fingerprint) in targets {
                apps.insert(LinkedApp(package: package.description, fingerprint: fingerprint.description))
            }
        }
        return apps
    }
}

extension GoogleResponse.LinkedApp: CustomStringConvertible {
    /// The package with the beginning of the fingerprint.
    public var description: String { "'\(package)' with the certificate \(fingerprint.prefix(11))…" }
}
