import LinkCatalog
import LinkRouting
import LinkServer
import LinkStorage

/// The command line's operations on `catalog.db`. If no process uses the directory, they run in this process. Otherwise
/// they go through the control socket of the running process, which gives the same responses.
struct CatalogCommands {
    let store: any CatalogStore
    let keys: APIKeyIssuer

    /// - Parameter message: The message for the process that holds the directory.
    static func run(
        in path: String,
        for purpose: DataDirectory.Purpose = .use,
        _ work: (CatalogCommands) async throws -> JSONNode,
        elsewhere message: () -> JSONNode
    ) async throws -> JSONNode {
        do {
            let directory = try DataDirectory(path, for: purpose)
            return try await directory.leavingAsFound {
                let database = try CatalogDatabase(directory.catalogPath)
                let issuer = APIKeyIssuer(store: database, authenticator: nil, random: SystemRandom.bytes)
                let answer = try await work(CatalogCommands(store: database, keys: issuer))
                try database.close()
                return answer
            }
        } catch StorageError.locked {
            return try await ControlMessage.send(message(), toDirectory: path)
        } catch let error as StorageError {
            throw fail(error)
        } catch let error as DocumentError {
            throw fail(error.description, .failed)
        }
    }

    func createKey(_ request: DocumentField) async throws -> JSONNode {
        let object = try request.object(
            "name",
            "tenant",
            "scopes",
            "environments",
            "owners",
            "pathPrefixes",
            "expiresAt"
        )
        let change = change("keys-create")
        let keyRequest = try APIKeyIssuer.KeyRequest(object, at: change.at)
        if let tenant = keyRequest.tenant, try await store.settingsRevision(of: tenant) == nil {
            throw try object.required("tenant").error(
                "there is no tenant '\(tenant)'; correct the name, or create the tenant first: 'fingerpost "
                    + "apply' with a key for all tenants, which --scope admin without --tenant creates."
            )
        }
        do {
            let (key, grant) = try await keys.create(keyRequest, change: change)
            return grant.json(with: key)
        } catch let error as TooManyKeys {
            throw request.error(error.description)
        }
    }

    func listKeys() async throws -> JSONNode {
        .object(["keys": .array(try await store.keyGrants().map(\.json))])
    }

    func revokeKey(_ id: DocumentField, as action: KeyEnd) async throws -> JSONNode {
        let change = change("keys-revoke")
        guard let ended = try await keys.end(KeyID(rawValue: try id.text()), at: change.at, as: action, change: change)
        else {
            throw id.error("there is no key '\(try id.text())'; list them with 'fingerpost keys list'.")
        }
        return ended.json
    }

    func verifyAudit() async throws -> JSONNode { try await store.verifyAudit().json }

    private func change(_ request: String) -> AuditContext {
        AuditContext(actor: Actor.system, at: SystemClock.now(), requestID: request)
    }
}
