import ArgumentParser
import Foundation
import LinkCatalog

/// The address of a server's admin port, and the credentials for it.
struct AdminOptions: ParsableArguments {
    @ArgumentParser.Option(
        name: .customLong("server"),
        help: "The admin address of a server (default: the variable FINGERPOST_SERVER, else http://127.0.0.1:8081)."
    )
    var namedServer: String?
    @ArgumentParser.Option(help: "An admin API key (default: the variable FINGERPOST_KEY).") var key: String?
    @ArgumentParser.Option(help: "An environment other than production.") var environment: String?

    var server: String { (namedServer ?? ClientVariable.server.value ?? "http://127.0.0.1:8081").withoutLastSlash }

    /// The end of a message about something that is live, such as ` in staging`; empty for production.
    var placeText: String { environment.map { $0 == "production" ? "" : " in \($0)" } ?? "" }

    func validate() throws { try requireAddress(server, such: "http://127.0.0.1:8081") }

    func client() throws -> AdminClient {
        guard let key = try readableKey(key) else {
            throw fail(
                "provide a key with --key or FINGERPOST_KEY; 'fingerpost keys create' creates one.",
                .wrongConfiguration
            )
        }
        return AdminClient(server: server, key: key, environment: environment)
    }
}

/// The address of a server's public port, and the key that some tenants require there.
struct PublicOptions: ParsableArguments {
    @ArgumentParser.Option(
        name: .customLong("server"),
        help: """
            The public address of a server (default: the variable FINGERPOST_PUBLIC_SERVER, else http://127.0.0.1:8080).
            """
    )
    var namedServer: String?
    @ArgumentParser.Option(
        name: .customLong("key"),
        help: """
            A key with the scope resolve (default: the variable FINGERPOST_KEY). It is sent only if the server answers \
            that it needs one.
            """
    )
    var namedKey: String?

    var server: String {
        (namedServer ?? ClientVariable.publicServer.value ?? "http://127.0.0.1:8080").withoutLastSlash
    }
    var key: String? { get throws { try readableKey(namedKey) } }

    func validate() throws { try requireAddress(server, such: "http://127.0.0.1:8080") }
}

/// Returns the key of an option or, without it, of the variable; nil without a key, or if it is empty. A line break around
/// it, such as that of a file of secrets, is removed. The message about a wrong key does not show it.
func readableKey(_ option: String?) throws -> String? {
    let key = (option ?? ClientVariable.key.value ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    if key.lowercased().hasPrefix("bearer ") {
        throw fail("leave 'Bearer' out of --key and FINGERPOST_KEY, and give only the key.", .invalidUsage)
    }
    if key.utf8.count == 12, KeyID(named: key) != nil {
        throw fail("this is the id of a key; give the whole key, which begins with \(APIKey.prefix).", .invalidUsage)
    }
    // A whole key has an id of 12 characters, and a secret and check of 49.
    if key.hasPrefix(APIKey.prefix), key.utf8.count < 12 + 49 {
        throw fail("this is not a whole key; copy it again.", .invalidUsage)
    }
    guard key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw fail("the key has a character that no key has; copy it again.", .wrongConfiguration)
    }
    return key.isEmpty ? nil : key
}

extension String {
    /// The address with `/` at its end is the same address.
    fileprivate var withoutLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

private func requireAddress(_ text: String, such example: String) throws {
    let parts = URLComponents(string: text)
    guard let parts, ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false else {
        throw ValidationError(
            "'\(text)' is not the address of a server; write one with http:// or https://, such as \(example)."
        )
    }
}
