import Foundation
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import NIOCore
import Networking

/// Messages from a second `fingerpost` to the process that holds the data directory. They go through
/// `DIR/service/control.sock`. Only the service's user and root can connect, and they have full access. A second process
/// never opens a database file.
enum ControlMessage {
    /// The maximum size of a response.
    private static let maximumBytes = 64 << 20

    /// Creates a key. `request` is the body of `POST /admin/v1/keys`.
    static func createKey(_ request: JSONNode) -> JSONNode { .object(["do": .string("createKey"), "key": request]) }

    static let listKeys = JSONNode.object(["do": .string("listKeys")])

    static func revokeKey(_ id: String, isAlone: Bool) -> JSONNode {
        .object(["do": .string("revokeKey"), "id": .string(id), "alone": .bool(isAlone)])
    }

    static let verifyAudit = JSONNode.object(["do": .string("verifyAudit")])

    static let verifyLog = JSONNode.object(["do": .string("verifyLog")])

    /// - Parameter target: An absolute path.
    static func backup(_ target: String) -> JSONNode { .object(["do": .string("backup"), "to": .string(target)]) }

    /// Replays events. `request` is the body of `POST …/draft/replay`.
    static func replay(_ request: JSONNode, at location: PublishingService.DraftLocation) -> JSONNode {
        .object([
            "do": .string("replay"), "tenant": .string(location.tenant.rawValue),
            "environment": .string(location.environment.rawValue), "draft": .string(location.draft.rawValue),
            "replay": request,
        ])
    }

    /// Sends a message to the process that holds the directory. Returns the response.
    static func send(
        _ message: JSONNode,
        toDirectory path: String,
        timeout: TimeAmount = .seconds(60)
    ) async throws -> JSONNode {
        let socket = URL(filePath: DataDirectory.controlSocket(in: path)).path
        let escaped = socket.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? socket
        do {
            let response = try await OutboundHTTP(timeout: timeout, maximumBytes: maximumBytes)
                .post("http+unix://\(escaped)/control", json: Array(message.json().utf8))
            let node = try JSONReader.parse(response.body, limits: JSONReader.Limits(maximumBytes: maximumBytes))
            guard response.status == 200 else {
                throw AdminClient.Refusal(status: response.status, body: node, tenant: message["tenant"]?.text).failure
            }
            return node
        } catch let error as OutboundHTTP.Failure {
            let reason =
                error.kind == .timedOut
                ? "does not respond within \(timeout.nanoseconds / 1_000_000_000) s"
                : "takes no commands at \(socket)"
            throw fail(
                "\(path) is in use by a process that \(reason). If it is starting or stopping, try again in a few seconds.",
                .inUse
            )
        }
    }
}

/// The server side of the control socket.
struct ControlSocket {
    let path: String
    let dependencies: ServerDependencies
    let store: any CatalogStore
    let log: EventLog
    let backups: BackupWorker

    /// Handles a message. The user wrote no document, so an error omits the line and the names of message members.
    func answer(_ message: JSONNode) async throws -> JSONNode {
        do {
            return try await obey(message)
        } catch let error as DocumentError {
            let isNested = error.path.contains { $0 == "." || $0 == "[" }
            throw DocumentError(path: isNested ? error.path : "", position: .unknown, message: error.message)
        }
    }

    private func obey(_ message: JSONNode) async throws -> JSONNode {
        let object = try DocumentField(message, path: "").object(
            "do",
            "key",
            "id",
            "alone",
            "tenant",
            "environment",
            "draft",
            "replay",
            "to",
            "window",
            "since"
        )
        if let request = try ExportRequest(object) {
            return try await answer(request, at: try object.required("tenant"))
        }
        let commands = CatalogCommands(store: store, keys: dependencies.keyIssuer)
        switch try object.required("do").text() {
        case "createKey": return try await commands.createKey(try object.required("key"))
        case "listKeys": return try await commands.listKeys()
        case "revokeKey":
            let isAlone = try object["alone"]?.bool() ?? false
            return try await commands.revokeKey(try object.required("id"), as: isAlone ? .revokeAlone : .revoke)
        case "verifyAudit": return try await commands.verifyAudit()
        case "verifyLog": return try await log.verify().json
        case "backup":
            let target = try object.required("to")
            do {
                return try await backups.write(to: try target.text())
            } catch let error as StorageError {
                throw target.error(error.description)
            } catch let error as FileFailure {
                throw target.error(error.description)
            }
        case "replay":
            let location = PublishingService.DraftLocation(
                try object.required("tenant").identifier(TenantID.self),
                try object.required("environment").identifier(EnvironmentID.self),
                draft: try object.required("draft").identifier(DraftName.self)
            )
            let request = try ReplayRequest(try object.required("replay").anyObject())
            return try await dependencies.replayer.replay(request, at: location).json
        default:
            throw try object.required("do").error(
                "this server does not know the command; run a server of the same version."
            )
        }
    }

    private func answer(_ request: ExportRequest, at tenant: DocumentField) async throws -> JSONNode {
        let catalog = dependencies.linkResolver.catalog
        let handler = ExportCommandHandler(exporter: dependencies.exporter) {
            catalog.current.table(of: $0).map { ExportPlan($0) }
        }
        do {
            return try await handler.answer(request)
        } catch let error as ExportCommandHandler.UnknownName {
            throw tenant.error(error.description)
        } catch let error as ExportFailure {
            throw tenant.error("\(error).")
        } catch let error as ExportRefusal {
            throw tenant.error("\(error).")
        } catch let error as S3Failure {
            throw tenant.error("\(error).")
        }
    }

    /// Throws if a directory occupies the socket's path, because a new socket cannot replace it. Call it before opening
    /// anything in the data directory.
    static func requireRoom(in directory: DataDirectory) throws {
        let path = directory.controlSocketPath
        var found = stat()
        guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFDIR else { return }
        try directory.leaveAsFound()
        errno = EISDIR
        throw FileFailure("create the control socket", path)
    }

    /// Whether the path fits into the address of a Unix socket: 108 bytes on Linux, 104 elsewhere.
    var fits: Bool { path.utf8.count < 104 }

    var application: some Hummingbird.ApplicationProtocol {
        buildControlApplication(at: path, logger: dependencies.logger) { try await answer($0) }
    }
}
