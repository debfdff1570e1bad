import LinkRouting
import Networking

/// Exports events of a tenant.
struct ExportSession {
    let tenant: TenantID
    let client: AdminClient

    /// The number of windows that an error names.
    private static let namedWindows = 3

    /// Ends the window and exports it. Returns its manifest.
    func export() async throws -> JSONNode { try await send("exports") }

    /// Exports a window again. Returns its current manifest.
    ///
    /// - Parameter name: The name in the manifest, with or without directories.
    func export(again name: String) async throws -> JSONNode {
        let all = try await windows(since: nil)
        guard let window = all.first(where: { $0 == name || $0.hasSuffix("/\(name)") }) else {
            let newest = all.suffix(Self.namedWindows).reversed().map { Self.lastPart(of: $0) }
            let advice =
                newest.isEmpty
                ? "nothing of '\(tenant)' is exported yet, and 'fingerpost export \(tenant)' exports its first window."
                : "the newest are \(newest.joined(separator: ", "))."
            throw fail("there is no window '\(name)'; \(advice)", .failed)
        }
        return try await send("exports/" + window.split(separator: "/").dropFirst().joined(separator: "/"))
    }

    /// Exports missing windows one by one. Shows a progress bar on a terminal.
    ///
    /// - Parameter start: Only windows that end after it; nil for all.
    func backfill(since start: Timestamp?) async throws {
        let names = try await windows(since: start)
        var bar = ProgressBar(total: names.count, unit: "windows")
        var counts: [String: Int] = [:]
        var rows: Int64 = 0
        for name in names {
            bar.show(name)
            let answer = try await send("windows/\(Self.lastPart(of: name))")
            counts[answer["result"]?.text ?? "written", default: 0] += 1
            rows += answer["rows"]?.int ?? 0
            bar.step()
        }
        bar.end()
        let parts = ["written", "kept", "gone"].map { "\(counts[$0] ?? 0) \($0)" }
        let windows = names.count.counted("window")
        show("\(windows) of \(tenant): \(parts.joined(separator: ", ")); \(rows.counted("row"))")
    }

    private func windows(since start: Timestamp?) async throws -> [String] {
        let query = start.map { [("since", $0.description)] } ?? []
        let answer = try await send("windows", .get, query: query)
        return (answer["windows"]?.elements ?? []).compactMap(\.text)
    }

    private func send(
        _ path: String,
        _ method: OutboundHTTP.Method = .post,
        query: [(String, String)] = []
    ) async throws -> JSONNode {
        do {
            return try await client.send(method, "tenants/\(tenant)/\(path)", query: query).body
        } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_tenant" {
            throw fail(
                "there is no tenant '\(tenant)'; correct the name, or name the data directory of its server with --data.",
                .failed
            )
        }
    }

    private static func lastPart(of name: String) -> String { name.split(separator: "/").last.map(String.init) ?? name }
}
