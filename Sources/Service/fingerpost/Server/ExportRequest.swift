import LinkEvents
import LinkRouting

/// A request of `fingerpost export`. It is sent as a message if another process holds the directory.
enum ExportRequest: Sendable {
    /// Ends the window and exports it. The response is its manifest.
    case now(TenantID)
    /// Exports a window again. The response is its current manifest.
    case again(TenantID, window: String)
    /// Exports a window unless it exists intact. The response is `{"result": "written|kept|gone", "rows"}`.
    case fill(TenantID, window: String)
    /// Lists windows, oldest first. The response is `{"windows": [NAME…]}`.
    case windows(TenantID, since: Timestamp)

    var message: JSONNode {
        switch self {
        case .now(let tenant): .object(["do": .string("export"), "tenant": .string(tenant.rawValue)])
        case .again(let tenant, let window):
            .object([
                "do": .string("exportAgain"), "tenant": .string(tenant.rawValue), "window": .string(window),
            ])
        case .fill(let tenant, let window):
            .object(["do": .string("fillExport"), "tenant": .string(tenant.rawValue), "window": .string(window)])
        case .windows(let tenant, let since):
            .object([
                "do": .string("listWindows"), "tenant": .string(tenant.rawValue), "since": .string(since.description),
            ])
        }
    }

    /// Returns nil for a message of another kind.
    init?(_ message: ObjectField) throws {
        let kind = try message.required("do").text()
        guard ["export", "exportAgain", "fillExport", "listWindows"].contains(kind) else { return nil }
        let tenant = try message.required("tenant").identifier(TenantID.self)
        switch kind {
        case "exportAgain": self = .again(tenant, window: try message.required("window").text())
        case "fillExport": self = .fill(tenant, window: try message.required("window").text())
        case "listWindows":
            let since = try message.required("since")
            guard let instant = Timestamp(try since.text()) else { throw since.error("write an RFC 3339 time.") }
            self = .windows(tenant, since: instant)
        default: self = .now(tenant)
        }
    }
}

/// Executes export requests, in a running server or in a separate process.
struct ExportCommandHandler: Sendable {
    let exporter: ExportService
    /// Returns nil for an unknown tenant.
    let plan: @Sendable (TenantID) -> ExportPlan?

    /// The request names a tenant or a window that does not exist.
    struct UnknownName: Error, CustomStringConvertible {
        let description: String
    }

    /// The number of windows that an error names.
    private static let namedWindows = 3

    func answer(_ request: ExportRequest) async throws -> JSONNode {
        switch request {
        case .now(let tenant): return try node(try await exporter.exportNow(try known(tenant)))
        case .again(let tenant, let window):
            let plan = try known(tenant)
            do {
                return try node(try await exporter.exportAgain(window, of: plan.tenant))
            } catch ExportFailure.unknownWindow {
                throw try await unknown(window, of: plan.tenant)
            }
        case .windows(let tenant, let since):
            let names = try await exporter.windows(of: try known(tenant).tenant, endingAfter: since)
            return .object(["windows": .array(names.map(JSONNode.string))])
        case .fill(let tenant, let window):
            do {
                switch try await exporter.backfill(window, of: try known(tenant).tenant) {
                case .written(let manifest): return filled("written", manifest.rows)
                case .kept(let manifest): return filled("kept", manifest.rows)
                }
            } catch ExportFailure.windowGone {
                return filled("gone", 0)
            }
        }
    }

    private func known(_ tenant: TenantID) throws -> ExportPlan {
        guard let plan = plan(tenant) else {
            throw UnknownName(
                description: "there is no tenant '\(tenant)'; correct the name, or name the data directory of its "
                    + "server with --data."
            )
        }
        return plan
    }

    private func unknown(_ window: String, of tenant: TenantID) async throws -> UnknownName {
        let all = try await exporter.windows(of: tenant, endingAfter: Timestamp(milliseconds: .min))
        let newest = all.suffix(Self.namedWindows).reversed().map { name in
            name.split(separator: "/").last.map { String($0) } ?? name
        }
        let advice =
            newest.isEmpty
            ? "nothing of '\(tenant)' is exported yet, and 'fingerpost export \(tenant)' exports its first window."
            : "the newest are \(newest.joined(separator: ", "))."
        return UnknownName(description: "there is no window '\(window)'; \(advice)")
    }

    private func node(_ manifest: ExportManifest) throws -> JSONNode {
        try JSONReader.parse(manifest.json, limits: JSONReader.Limits(maximumBytes: 65_536))
    }

    private func filled(_ result: String, _ rows: Int64) -> JSONNode {
        .object(["result": .string(result), "rows": .int(rows)])
    }
}
