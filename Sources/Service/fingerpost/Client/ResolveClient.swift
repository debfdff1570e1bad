import ArgumentParser
import LinkRouting
import Networking

/// What answers links: a table file, or `POST /resolve` of a server.
struct AnswerOptions: ParsableArguments {
    @ArgumentParser.Option(help: "A tenant or table file, YAML or JSON; - reads standard input.") var table: String?
    @ArgumentParser.Option(help: "The public address of a server (default: the variable FINGERPOST_PUBLIC_SERVER).")
    var server: String?
    @ArgumentParser.Option(help: "An API key for --server (default: the variable FINGERPOST_KEY).") var key: String?
    @ArgumentParser.Option(help: "An environment of the server other than production.") var environment: String?

    private var address: String? { server ?? (table == nil ? ClientVariable.publicServer.value : nil) }

    func validate() throws {
        guard (table == nil) != (address == nil) else {
            throw ValidationError("Use exactly one of --table and --server.")
        }
        guard address != nil || (key == nil && environment == nil) else {
            throw ValidationError("--key and --environment need --server.")
        }
    }

    /// The client of the server; nil for a file.
    var client: ResolveClient? {
        get throws {
            try address.map { ResolveClient(address: $0, key: try readableKey(key), environment: environment) }
        }
    }
}

/// Sends links to `POST /resolve` of a server, with the purpose `test`.
struct ResolveClient {
    private let address: String
    private let key: String?
    private let environment: String?

    init(address: String, key: String?, environment: String?) {
        self.address = "\(address.hasSuffix("/") ? String(address.dropLast()) : address)/resolve"
        self.key = key
        self.environment = environment
    }

    /// A response other than 200.
    struct Refusal: Error, CustomStringConvertible {
        let status: Int
        let body: JSONNode
        let address: String

        var description: String {
            "the server answered \(status) \(body["code"]?.text ?? ""): \(body["detail"]?.text ?? "")"
        }

        /// The refusal as text for people.
        func failure(of link: String, _ exitStatus: ExitStatus) -> CommandFailure {
            let code = body["code"]?.text ?? ""
            let reason = ServerRefusal(status: status, body: body).text
            let advice = status == 404 ? " Give the public address with --server, such as http://127.0.0.1:8080." : ""
            let name = code.isEmpty ? "" : " (\(code))"
            return fail("\(address) answered \(status)\(name) for \(link): \(reason)\(advice)", exitStatus)
        }
    }

    /// Throws ``Refusal``, or an exit code if the server does not answer with JSON.
    func answer(_ link: String, in context: JSONNode, explain: Bool) async throws -> JSONNode {
        let request = JSONNode.object([
            "url": .string(link), "context": context, "purpose": .string("test"),
            "explain": explain ? .bool(true) : nil, "environment": environment.map(JSONNode.string),
        ])
        let response: OutboundHTTP.Response
        do {
            response = try await OutboundHTTP().post(
                address,
                json: Array(request.json().utf8),
                headers: key.map { [("Authorization", "Bearer \($0)")] } ?? []
            )
        } catch {
            throw fail(error.description, .unavailable)
        }
        let body = try? JSONReader.parse(response.body, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        guard response.status == 200 else {
            throw Refusal(status: response.status, body: body ?? .null, address: address)
        }
        guard let body else {
            throw fail("\(address) answers, but not with JSON; --server is the public address.", .unavailable)
        }
        return body
    }
}
