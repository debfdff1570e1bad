import HTTPTransport
import Hummingbird
import LinkCatalog
import LinkEvents
package import LinkRouting

/// The work on the files of the data directory that only the operator of the machine may start.
package struct OperatorTasks: Sendable {
    package let backUp: @Sendable (_ folder: String) async throws -> JSONNode
    package let verifyLog: @Sendable () async throws -> JSONNode

    /// - Parameters:
    ///   - backUp: Writes a backup to a new folder and returns the list of its files.
    ///   - verifyLog: Verifies the whole log.
    package init(
        backUp: @escaping @Sendable (_ folder: String) async throws -> JSONNode,
        verifyLog: @escaping @Sendable () async throws -> JSONNode
    ) {
        self.backUp = backUp
        self.verifyLog = verifyLog
    }
}

/// What only the operator of the machine may do. No port has these endpoints: a backup names a path of the machine, and
/// the others read the log for as long as they need.
struct OperatorController {
    let exporter: ExportService
    let catalog: LiveCatalog
    let tasks: OperatorTasks

    private static let bodyBytes = 65_536

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.post("/admin/v1/backup", use: backUp)
        router.post("/admin/v1/log/verify", use: verifyLog)
        router.get("/admin/v1/tenants/:tenant/windows", use: windows)
        router.post("/admin/v1/tenants/:tenant/windows/:window", use: backfill)
    }

    /// Takes `{"to"}`, an absolute path.
    @Sendable private func backUp(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        var request = request
        let folder = try await request.object("to", upTo: Self.bodyBytes).required("to")
        guard try folder.text().hasPrefix("/") else {
            throw folder.error("must be an absolute path, such as '/var/backups/fingerpost'.")
        }
        return Response(try await tasks.backUp(try folder.text()))
    }

    @Sendable private func verifyLog(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        Response(try await tasks.verifyLog())
    }

    /// Lists the names of the windows of exports that end after `?since=`, oldest first; without it, of all windows.
    @Sendable private func windows(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        for (name, _) in request.uri.queryParameters where name != "since" {
            throw Problem(.invalidRequest, "'\(name)' is not a query parameter of this operation; it has since.")
        }
        var instant = Timestamp(milliseconds: .min)
        if let since = request.parameter("since") {
            guard let time = Timestamp(since) else {
                throw Problem(.invalidRequest, "'since' must be an RFC 3339 time.")
            }
            instant = time
        }
        let names = try await exporter.windows(of: try tenant(context), endingAfter: instant)
        return Response(.object(["windows": .array(names.map(JSONNode.string))]))
    }

    /// Exports a window unless its export exists intact. The response is `{"result": "written|kept|gone", "rows"}`.
    @Sendable private func backfill(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (result, rows): (String, Int64)
        do {
            switch try await exporter.backfill(context.parameters.get("window") ?? "", of: try tenant(context)) {
            case .written(let manifest): (result, rows) = ("written", manifest.rows)
            case .kept(let manifest): (result, rows) = ("kept", manifest.rows)
            }
        } catch ExportFailure.windowGone {
            (result, rows) = ("gone", 0)
        } catch let failure as ExportFailure {
            throw Problem(failure)
        } catch let failure as S3Failure {
            throw Problem(failure, "No events are lost; the next export writes them.")
        }
        return Response(.object(["result": .string(result), "rows": .int(rows)]))
    }

    private func tenant(_ context: ServerRequestContext) throws -> TenantID {
        guard let tenant = context.parameters.get("tenant").flatMap({ TenantID($0) }) else {
            throw Problem.invalidTenantID
        }
        guard catalog.current.table(of: tenant) != nil else { throw PublishingService.Failure.unknownTenant(tenant) }
        return tenant
    }
}
