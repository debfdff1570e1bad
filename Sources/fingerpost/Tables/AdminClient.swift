import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import NIOCore
import OutboundHTTP

/// The address of a server's admin port, and the credentials for it.
struct AdminOptions: ParsableArguments {
    @ArgumentParser.Option(help: "The admin address of a server.") var server = "http://127.0.0.1:8081"
    @ArgumentParser.Option(help: "An admin API key (default: the variable FINGERPOST_KEY).") var key: String?
    @ArgumentParser.Option(help: "An environment other than production.") var environment: String?

    func validate() throws {
        let parts = URLComponents(string: server)
        guard let parts, ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false else {
            throw ValidationError(
                "'\(server)' is not the address of a server; write one with http:// or https://, such as http://127.0.0.1:8081."
            )
        }
    }

    func client() throws -> AdminClient {
        guard let key = key ?? ProcessInfo.processInfo.environment["FINGERPOST_KEY"] else {
            throw fail(
                "provide a key with --key or FINGERPOST_KEY; 'fingerpost keys create' creates one.",
                .wrongConfiguration
            )
        }
        return AdminClient(server: server, key: key, environment: environment)
    }
}

/// A client of the admin API.
struct AdminClient {
    let server: String
    let key: String
    let environment: String?

    private static let limits = JSONReader.Limits(maximumBytes: 256 << 20, maximumDepth: 64)

    struct Answer {
        let status: Int
        let eTag: String?
        let bytes: [UInt8]
        /// Null if the body is not JSON.
        let body: JSONNode
    }

    /// An error response of the server.
    struct Refusal: Error {
        let status: Int
        let body: JSONNode

        var code: String { body["code"]?.text ?? "" }
    }

    /// Sends a request. Throws ``Refusal`` for a status other than 2xx, and an exit code if the server does not
    /// respond.
    ///
    /// - Parameter path: The path below `/admin/v1/`.
    func send(
        _ method: OutboundHTTP.Method,
        _ path: String,
        query: [(String, String)] = [],
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws -> Answer {
        guard environment == nil || path.hasPrefix("tenants/") else {
            throw fail("remove --environment: keys and the audit log belong to all environments.", .wrongConfiguration)
        }
        var components = URLComponents()
        components.queryItems = (query + (environment.map { [("environment", $0)] } ?? [])).map {
            URLQueryItem(name: $0.0, value: $0.1)
        }
        let parameters = components.percentEncodedQuery.flatMap { $0.isEmpty ? nil : "?\($0)" } ?? ""
        do {
            let response = try await OutboundHTTP(timeout: .seconds(120), maximumBytes: 256 << 20).send(
                method,
                "\(server)/admin/v1/\(path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)\(parameters)",
                [("Authorization", "Bearer \(key)")] + headers,
                body
            )
            let node = (try? JSONReader.parse(response.body, limits: Self.limits)) ?? .null
            guard (200..<300).contains(response.status) else { throw Refusal(status: response.status, body: node) }
            let eTag = response.header("ETag").map { $0.trimmingCharacters(in: ["\""]) }
            return Answer(status: response.status, eTag: eTag, bytes: response.body, body: node)
        } catch let failure as OutboundHTTP.Failure {
            throw fail(failure.description, .unavailable)
        }
    }

    /// Sends a request with a JSON body; nil sends no body.
    func send(
        _ method: OutboundHTTP.Method,
        _ path: String,
        query: [(String, String)] = [],
        ifMatch: String? = nil,
        json: JSONNode?
    ) async throws -> Answer {
        var headers = ifMatch.map { [("If-Match", "\"\($0)\"")] } ?? []
        if json != nil { headers.append(("Content-Type", "application/json")) }
        return try await send(method, path, query: query, headers: headers, body: json.map { Array($0.json().utf8) })
    }
}

/// Runs a command's body. Prints a server's refusal on standard error and exits with code 1.
func tellingRefusals<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let refusal as AdminClient.Refusal {
        throw refusal.told()
    }
}

extension AdminClient.Refusal {
    func told() -> ExitCode {
        var lines: [String] = []
        for finding in body["findings"]?.elements ?? [] { lines.append("  \(FindingText(finding).line)") }
        lines += SuiteFailureLines(body["suiteFailures"]?.elements ?? []).lines.map { "  \($0)" }
        for conflict in body["conflicts"]?.elements ?? [] {
            lines.append("  \(conflict["kind"]?.text ?? "") '\(conflict["subject"]?.text ?? "")'")
            for side in ["base", "live", "draft"] { lines.append("    \(side): \(conflict[side]?.json() ?? "null")") }
        }
        return fail(body["detail"]?.text ?? "the server responded with \(status)", .failed, more: lines)
    }
}

/// A finding of a response, as text for people.
struct FindingText {
    let node: JSONNode

    init(_ node: JSONNode) { self.node = node }

    var line: String {
        let place = node["path"]?.text.map { "\($0): " } ?? ""
        let example = node["example"]?.text.map { " Example: \($0)." } ?? ""
        let fix = node["fix"]?.text.map { " \($0)" } ?? ""
        return "\(node["severity"]?.text ?? ""): \(place)\(node["message"]?.text ?? "")\(example)\(fix)"
    }
}

/// Text for entries of `suiteFailures`: one line per case, with its first difference.
struct SuiteFailureLines {
    private let failures: [JSONNode]

    private static let shown = 20

    init(_ failures: [JSONNode]) { self.failures = failures }

    var lines: [String] {
        var cases: [(place: String, first: JSONNode, count: Int)] = []
        for failure in failures {
            let place = "\(failure["suite"]?.text ?? ""):\(failure["line"]?.int ?? 0)"
            if cases.last?.place == place {
                cases[cases.count - 1].count += 1
            } else {
                cases.append((place, failure, 1))
            }
        }
        let told = cases.prefix(Self.shown).map { one in
            let more = one.count > 1 ? " (and \(one.count - 1) more)" : ""
            return "\(one.place): \(one.first["link"]?.text ?? ""): \(one.first["expected"]?.text ?? ""): "
                + "\(one.first["difference"]?.text ?? "")\(more)"
        }
        return told + (cases.count > told.count ? ["… and \(cases.count - told.count) more cases"] : [])
    }
}

/// Runs `body`, and reports progress on standard error every second while it runs.
func showingProgress<Result: Sendable>(
    _ what: String,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            var seconds = 0
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                guard !Task.isCancelled else { break }
                seconds += 1
                warn("\(what) … \(seconds) s")
            }
            return nil
        }
        defer { group.cancelAll() }
        for try await result in group { if let result { return result } }
        throw CancellationError()
    }
}
