import LinkRouting

/// Exports missing windows one by one. Shows a progress bar on a terminal.
struct Backfill {
    let tenant: TenantID
    let since: Timestamp
    let session: ExportSession

    func run() async throws {
        let names = try await session.answer(.windows(tenant, since: since))["windows"]?.elements ?? []
        var bar = ProgressBar(total: names.count, unit: "windows")
        var counts: [String: Int] = [:]
        var rows: Int64 = 0
        for name in names.compactMap(\.text) {
            bar.show(name)
            let answer = try await session.answer(.fill(tenant, window: name))
            let result = answer["result"]?.text ?? "written"
            counts[result, default: 0] += 1
            rows += answer["rows"]?.int ?? 0
            bar.step()
        }
        bar.end()
        let parts = ["written", "kept", "gone"].map { "\(counts[$0] ?? 0) \($0)" }
        let windows = names.count.counted("window")
        show("\(windows) of \(tenant): \(parts.joined(separator: ", ")); \(rows.counted("row"))")
    }
}
