import ArgumentParser
import LinkRouting
import LinkTable

struct TableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Sign, fetch and verify the tables that apps resolve links with, and manage the signing keys.",
        discussion: """
            EXAMPLES
              fingerpost table keys create /etc/fingerpost/table.jwk
              fingerpost table export shop --app ios --output shop.table
              fingerpost table verify shop.table --tenant shop --app ios --public-key KEY
              fingerpost table doctor shop --app ios --public-key KEY
            """,
        subcommands: [
            TableExport.self, TableSign.self, TableVerify.self, TableDoctor.self, TableKeys.self,
        ]
    )
}

/// The app and the environment that a table is signed for.
struct TableScopeOptions: ParsableArguments {
    @ArgumentParser.Option(help: "The app, by its id in the settings.") var app: String
    @ArgumentParser.Option(help: "The environment.") var environment = "production"

    func validate() throws {
        guard AppID(app) != nil else { throw ValidationError("--app '\(app)' is not the id of an app.") }
        guard EnvironmentID(environment) != nil else {
            throw ValidationError("--environment '\(environment)' is not the id of an environment.")
        }
    }

    func scope(of tenant: TenantID) throws -> TableScope {
        guard let app = AppID(app), let environment = EnvironmentID(environment) else {
            throw ValidationError("--app and --environment are ids.")
        }
        return TableScope(tenant: tenant, environment: environment, app: app)
    }
}

/// The public keys that an app pins.
struct PublicKeyOptions: ParsableArguments {
    // A key may begin with '-', so the next argument is the value whatever it looks like.
    @ArgumentParser.Option(
        parsing: .unconditionalSingleValue,
        help: "A public key: the 43 characters that 'table keys show' prints, or a file with its JWK; may be repeated."
    )
    var publicKey: [String] = []

    func keys() throws -> [TablePublicKey] {
        try publicKey.map { text in
            do {
                return try TablePublicKey(text)
            } catch let error {
                // The characters of a key contain no '/' and no '.', so that most paths are told apart.
                guard text.contains("/") || text.contains(".") else {
                    throw fail("--public-key '\(text)': \(error)", .unreadableInput)
                }
            }
            do {
                return try TablePublicKey(try readText(text))
            } catch let error as TableKeyError {
                throw fail("--public-key \(text): \(error)", .unreadableInput)
            }
        }
    }
}

extension TenantID {
    /// Reads an argument.
    /// What is wrong with a text that is not an id.
    static func rule(_ text: String) -> String {
        "'\(text)' is not a tenant id; use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit."
    }

    init(argument text: String) throws {
        guard let id = TenantID(text) else { throw fail("'\(text)' is not the id of a tenant.", .unreadableInput) }
        self = id
    }
}

extension AppTable {
    /// The claims of the table, as text for people.
    var lines: [String] {
        [
            "tenant \(claims.scope.tenant), environment \(claims.scope.environment), app \(claims.scope.app)",
            "revision \(claims.revision), settings \(claims.settingsRevision)",
            "issued \(claims.issuedAt), expires \(claims.expiresAt)",
            "\(routeCount) routes; \(stubCount) more that only the server decides",
        ]
    }

    var json: JSONNode {
        .object([
            "tenant": .string(claims.scope.tenant.rawValue),
            "environment": .string(claims.scope.environment.rawValue), "app": .string(claims.scope.app.rawValue),
            "revision": .int(claims.revision.rawValue), "settingsRevision": .int(claims.settingsRevision),
            "issuedAt": .string(claims.issuedAt.description), "expiresAt": .string(claims.expiresAt.description),
            "routes": .int(routeCount), "serverRoutes": .int(stubCount),
        ])
    }
}
