import HTTPTransport
import HTTPTypes
import Hummingbird
package import LinkCatalog
package import LinkEvents
import LinkRouting
import NIOCore

/// Lists, runs and downloads exports.
struct ExportController {
    let authorizer: AdminAuthorizer
    let exporter: ExportService
    let catalog: LiveCatalog
    let store: any AuditStore

    private static let chunkBytes = 64 << 10

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/exports", use: list)
        router.post("/admin/v1/tenants/:tenant/exports", use: runNow)
        router.get("/admin/v1/tenants/:tenant/exports/**", use: download)
        router.post("/admin/v1/tenants/:tenant/exports/**", use: runAgain)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .exportsRead)
        let names = try await convertingFailures { try await exporter.names(of: entry.tenant) }
        var manifests: [String: JSONNode] = [:]
        let page = try PageRequest(request)
        for name in try page.part(of: names, key: \.self) {
            guard let manifest = try await exporter.manifest(name) else { continue }
            do {
                manifests[name] = try JSONReader.parse(manifest, limits: JSONReader.Limits(maximumBytes: 65_536))
            } catch {
                throw ExportManifest.Unreadable(name: name)
            }
        }
        return Response(try page.answer(of: names, "exports", { manifests[$0] ?? .null }, key: \.self))
    }

    /// Ends a window now and exports it. The response is its manifest or, with `?download`, its file: 204 if it has no
    /// rows.
    @Sendable private func runNow(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .exportsRead)
        guard let table = catalog.current.table(of: entry.tenant) else {
            throw PublishingService.Failure.unknownTenant(entry.tenant)
        }
        do {
            try await context.once(entry.grant, of: entry.tenant)
        } catch let replay as ReplayedResponse {
            // The first response streamed the file, so only its location is stored.
            guard let location = replay.answer.headers["Content-Location"], let path = Self.path(at: location) else {
                throw replay
            }
            var response = try await file(at: path, location: location)
            response.headers[.idempotencyReplayed] = "true"
            return response
        }
        try await requireRoom(of: entry)
        let manifest = try await convertingFailures {
            try await ClientPresence.cancelling { try await exporter.exportNow(ExportPlan(table)) }
        }
        try await note(manifest, entry)
        guard request.uri.queryParameters["download"] != nil else {
            return Response(status: manifest.file == nil ? .ok : .created, json: manifest.json)
        }
        guard let file = manifest.file else { return Response(status: .noContent) }
        return try await self.file(at: file.path, location: Self.location(of: file.path, entry.tenant))
    }

    private func requireRoom(of entry: AdminAuthorizer.Entry) async throws {
        let (now, share) = (entry.change.at, entry.change.share)
        guard share != .unlimited,
            try await exporter.windows(of: entry.tenant, endingAfter: now.day.start).count
                >= DailyQuota.exports.maximum(for: share)
        else { return }
        throw DailyQuotaReached(.exports, for: share, at: now)
    }

    /// Downloads `…/exports/dt=…/hour=…/events-….ndjson.gz`, or the manifest beside it.
    @Sendable private func download(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .exportsRead)
        return try await file(at: path(of: entry.tenant, context))
    }

    /// Exports the window of that name again; the response is the manifest that is valid afterwards.
    @Sendable private func runAgain(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .exportsRead)
        let path = try path(of: entry.tenant, context)
        try await context.once(entry.grant, of: entry.tenant)
        let manifest = try await convertingFailures {
            try await ClientPresence.cancelling { try await exporter.exportAgain(path, of: entry.tenant) }
        }
        try await note(manifest, entry)
        return Response(status: .ok, json: manifest.json)
    }

    private func note(_ manifest: ExportManifest, _ entry: AdminAuthorizer.Entry) async throws {
        let facts: JSONNode = .object(["export": .string(manifest.name), "version": .int(manifest.version)])
        try await store.note(AuditAction(.exportWindow, of: entry.tenant, facts), change: entry.change)
    }

    /// Runs `work` and converts failures of exports to problems.
    private func convertingFailures<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let failure as ExportFailure {
            throw Problem(failure)
        } catch let failure as S3Failure {
            throw Problem(failure, "No events are lost; the next export writes them.")
        }
    }

    /// Returns the path of the export in the request. Only names in the form of exports are looked up, so no path leads
    /// out of the tenant's folder.
    private func path(of tenant: TenantID, _ context: ServerRequestContext) throws -> String {
        let parts = context.parameters.getCatchAll()
        guard parts.count == 3, parts.allSatisfy(\.isExportName) else {
            throw Problem(.unknownExport, "An export name has the form dt=…/hour=…/events-…; list them at …/exports.")
        }
        return "tenant=\(tenant)/" + parts.joined(separator: "/")
    }

    /// Returns the location from which the file at a path of the sink is downloaded.
    private static func location(of path: String, _ tenant: TenantID) -> String {
        "/admin/v1/tenants/\(tenant)/exports/" + path.split(separator: "/").dropFirst().joined(separator: "/")
    }

    /// Returns the path in the sink for a location that ``location(of:_:)`` returned.
    private static func path(at location: String) -> String? {
        let parts = location.split(separator: "/")
        guard parts.count == 8 else { return nil }
        return "tenant=\(parts[3])/" + parts.suffix(3).joined(separator: "/")
    }

    /// Streams a file of the sink.
    ///
    /// - Parameter location: The value of `Content-Location`.
    private func file(at path: String, location: String? = nil) async throws -> Response {
        let exporter = exporter
        guard
            let first = try await convertingFailures({ try await exporter.read(path, from: 0, count: Self.chunkBytes) })
        else {
            throw Problem(.unknownExport, "There is no such export; list the exports at …/exports.")
        }
        let body = ResponseBody { writer in
            var chunk = first
            var offset: Int64 = 0
            while !chunk.isEmpty {
                try await writer.write(ByteBuffer(bytes: chunk))
                offset += Int64(chunk.count)
                // If a new version replaces the file meanwhile, the response ends with an error instead of looking
                // complete.
                guard let next = try await exporter.read(path, from: offset, count: Self.chunkBytes) else {
                    throw ExportFailure.damaged(path)
                }
                chunk = next
            }
            try await writer.finish(nil)
        }
        var headers = HTTPFields()
        headers[.contentType] = path.hasSuffix(".json") ? "application/json" : "application/gzip"
        headers[.cacheControl] = "private, no-store"
        if let location { headers[.contentLocation] = location }
        return Response(status: .ok, headers: headers, body: body)
    }
}

extension Problem {
    init(_ failure: ExportFailure) {
        switch failure {
        case .unknownWindow:
            self.init(.unknownExport, "There is no window with that name; list the exports at …/exports.")
        case .windowGone:
            self.init(.windowGone, "Retention has dropped rows of this window. Its existing export is kept.")
        case .occupied, .otherWindow, .damaged, .fewerRows, .otherRows:
            self.init(.exportConflict, "Nothing was changed: \(failure).")
        }
    }
}

extension ExportPlan {
    /// The plan that the settings of the table's tenant ask for.
    package init(_ table: PublishedTable) {
        let export = table.settings.export
        let schedule: ExportSchedule? =
            switch export.schedule {
            case .off: nil
            case .hourly: .hourly
            case .daily(let hour, let minute, let zone):
                ExportSchedule.DailyTime(hour: hour, minute: minute, zone: zone).map(ExportSchedule.daily)
            }
        self.init(
            tenant: table.tenant,
            schedule: schedule,
            format: export.format == .csv ? .csv : .ndjson,
            level: export.level
        )
    }
}

extension StringProtocol {
    fileprivate var isExportName: Bool {
        (1...80).contains(utf8.count) && !hasPrefix(".")
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "="):
                    true
                default: false
                }
            }
    }
}

extension Problem {
    /// The response if the destination of exports fails.
    init(_ failure: S3Failure, _ consequence: String) {
        self.init(.sinkUnavailable, "The export destination failed: \(failure). \(consequence)")
    }
}
