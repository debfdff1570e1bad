import ArgumentParser
import Foundation
import LinkCommands

/// The address of a server's admin port, and the credentials for it.
struct AdminOptions: ParsableArguments {
    @ArgumentParser.Option(
        name: .customLong("server"),
        help: "The admin address of a server (default: the variable FINGERPOST_SERVER, else http://127.0.0.1:8081)."
    )
    var namedServer: String?
    @ArgumentParser.Option(help: "An admin API key (default: the variable FINGERPOST_KEY).") var key: String?
    @ArgumentParser.Option(help: "An environment other than production.") var environment: String?

    var server: String {
        namedServer ?? ProcessInfo.processInfo.environment["FINGERPOST_SERVER"] ?? "http://127.0.0.1:8081"
    }

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
