import HTTPTypes
import Hummingbird
package import LinkCatalog
package import LinkEvents
import LinkRouting
import NIOCore

/// Exports: list, run now, download.
struct ExportController {
    let gate: AdminAuthorizer
    let exporter: Exporter
    let catalog: LiveCatalog

    private static let chunkBytes = 64 << 10

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/exports", use: list)
        router.post("/admin/v1/tenants/:tenant/exports", use: runNow)
        router.get("/admin/v1/tenants/:tenant/exports/**", use: download)
        router.post("/admin/v1/tenants/:tenant/exports/**", use: runAgain)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenantWide(request, context, .exportsRead)
        let names = try await told { try await exporter.names(of: entry.tenant) }
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

    /// Ends a window at this moment. The answer is its manifest, or with `?download` its file: 204 when it has no rows.
    @Sendable private func runNow(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenantWide(request, context, .exportsRead)
        guard let table = catalog.current.table(of: entry.tenant) else {
            throw PublishingService.Failure.unknownTenant(entry.tenant)
        }
        do {
            try await context.once(entry.grant, of: entry.tenant)
        } catch let replay as ReplayedAnswer {
            // The file was streamed the first time: its place is what is kept.
            guard let place = replay.answer.headers["Content-Location"], let path = Self.path(at: place) else {
                throw replay
            }
            var response = try await file(at: path, said: place)
            response.headers[.idempotencyReplayed] = "true"
            return response
        }
        let manifest = try await told {
            try await ClientPresence.cancelling { try await exporter.exportNow(ExportPlan(table)) }
        }
        guard request.uri.queryParameters["download"] != nil else {
            return Response(status: manifest.file == nil ? .ok : .created, json: manifest.json)
        }
        guard let file = manifest.file else { return Response(status: .noContent) }
        return try await self.file(at: file.path, said: Self.place(of: file.path, entry.tenant))
    }

    /// `…/exports/dt=…/hour=…/events-….ndjson.gz`, or the manifest beside it.
    @Sendable private func download(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenantWide(request, context, .exportsRead)
        return try await file(at: path(of: entry.tenant, context))
    }

    /// Exports the window of that name again; the answer is the manifest that holds then.
    @Sendable private func runAgain(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try gate.tenantWide(request, context, .exportsRead)
        let path = try path(of: entry.tenant, context)
        try await context.once(entry.grant, of: entry.tenant)
        let manifest = try await told {
            try await ClientPresence.cancelling { try await exporter.exportAgain(path, of: entry.tenant) }
        }
        return Response(status: .ok, json: manifest.json)
    }

    /// Says as a problem what went wrong with an export.
    private func told<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let failure as ExportFailure {
            throw Problem(failure)
        } catch let failure as S3Failure {
            throw Problem(.sinkUnavailable, "Nothing is lost, the next export writes it: \(failure).")
        }
    }

    /// The names are ours: nothing else is looked up, so no path leads out of the tenant's own folder.
    private func path(of tenant: TenantID, _ context: ServerRequestContext) throws -> String {
        let parts = context.parameters.getCatchAll()
        guard parts.count == 3, parts.allSatisfy(\.isExportName) else {
            throw Problem(.unknownExport, "An export is named dt=…/hour=…/events-…; list them at …/exports.")
        }
        return "tenant=\(tenant)/" + parts.joined(separator: "/")
    }

    /// Where the file of a path in the sink is downloaded from.
    private static func place(of path: String, _ tenant: TenantID) -> String {
        "/admin/v1/tenants/\(tenant)/exports/" + path.split(separator: "/").dropFirst().joined(separator: "/")
    }

    /// The path in the sink of a place that `place` made.
    private static func path(at place: String) -> String? {
        let parts = place.split(separator: "/")
        guard parts.count == 8 else { return nil }
        return "tenant=\(parts[3])/" + parts.suffix(3).joined(separator: "/")
    }

    /// - Parameter place: What `Content-Location` says.
    private func file(at path: String, said place: String? = nil) async throws -> Response {
        let exporter = exporter
        guard let first = try await told({ try await exporter.read(path, from: 0, count: Self.chunkBytes) }) else {
            throw Problem(.unknownExport, "There is no such export; list them at …/exports.")
        }
        let body = ResponseBody { writer in
            var chunk = first
            var offset: Int64 = 0
            while !chunk.isEmpty {
                try await writer.write(ByteBuffer(bytes: chunk))
                offset += Int64(chunk.count)
                // A version that took over meanwhile ends the answer in an error, not as if it were whole.
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
        if let place { headers[.contentLocation] = place }
        return Response(status: .ok, headers: headers, body: body)
    }
}

extension Problem {
    fileprivate init(_ failure: ExportFailure) {
        switch failure {
        case .unknownWindow:
            self.init(.unknownExport, "There is no window of that name; list the exports at …/exports.")
        case .windowGone:
            self.init(.windowGone, "Retention has dropped rows of this window; what was exported of it stays.")
        case .occupied, .otherWindow, .damaged, .fewerRows, .otherRows:
            self.init(.exportConflict, "Nothing was changed: \(failure).")
        }
    }
}

extension ExportPlan {
    /// What the tenant's settings ask for.
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
