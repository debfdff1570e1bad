public import LinkRouting

/// A request to Google's Digital Asset Links API, in the JSON form of its requests (names in snake case).
public struct StatementQuery: Sendable, Hashable {
    public let source: StatementAsset
    /// The requested relation. Nil, which only `list` allows, requests all relations.
    public let relation: StatementRelation?
    /// The target of a `check`; nil for a `list`.
    public let target: StatementAsset?

    public enum Call: String, Sendable {
        case list, check
    }

    /// Why a request cannot be answered, in the words of Google's API.
    public struct Problem: Error, Sendable, Hashable {
        public let message: String
    }

    /// Reads a request.
    /// - Throws: ``Problem`` if a required field is missing or a field is invalid.
    public init(_ call: Call, _ request: JSONNode) throws(Problem) {
        guard let source = request["source"] else {
            throw Problem(message: "Request must contain a source asset query.")
        }
        self.source = try Self.asset(source)
        relation = try Self.relation(request["relation"]?.text ?? "")
        guard call == .check else {
            target = nil
            return
        }
        guard relation != nil else { throw Problem(message: "Request must contain a relation string.") }
        guard let target = request["target"] else {
            throw Problem(message: "Request must contain a target asset query.")
        }
        self.target = try Self.asset(target)
    }

    /// Parses a relation. Returns nil for an empty text.
    private static func relation(_ text: String) throws(Problem) -> StatementRelation? {
        guard !text.isEmpty else { return nil }
        do throws(StatementRelation.Problem) {
            return try StatementRelation(text)
        } catch {
            throw Problem(message: error.message + ".")
        }
    }

    private static func asset(_ node: JSONNode) throws(Problem) -> StatementAsset {
        if let web = node["web"] {
            guard let site = web["site"]?.text, !site.isEmpty else {
                throw Problem(message: "No site field in web asset query.")
            }
            do throws(WebSite.Problem) {
                return .web(try WebSite(site))
            } catch {
                throw Problem(message: "Invalid site '\(site)': \(error.message)")
            }
        }
        guard let app = node["android_app"] else { throw Problem(message: "Must specify one of the asset types.") }
        guard let package = app["package_name"]?.text.flatMap(PackageName.init) else {
            throw Problem(message: "Invalid package_name field in android app asset query.")
        }
        guard let fingerprint = app["certificate"]?["sha256_fingerprint"]?.text.flatMap({ CertificateFingerprint($0) })
        else { throw Problem(message: "Invalid sha256_fingerprint field in android app asset query.") }
        return .androidApp(package, fingerprint)
    }
}

extension StatementAsset {
    /// The asset as the API writes it.
    public var json: JSONNode {
        switch self {
        case .web(let site): .object(["web": .object(["site": .string(site.description)])])
        case .androidApp(let package, let fingerprint):
            .object([
                "android_app": .object([
                    "package_name": .string(package.description),
                    "certificate": .object(["sha256_fingerprint": .string(fingerprint.description)]),
                ])
            ])
        }
    }
}

extension StatementAsset: CustomStringConvertible {
    public var description: String {
        switch self {
        case .web(let site): site.description
        case .androidApp(let package, _): package.description
        }
    }
}
