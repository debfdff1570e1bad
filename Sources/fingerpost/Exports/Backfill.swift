import Foundation
import LinkRouting

/// Exports what is missing, window by window, and shows how far it is: a bar on a terminal, else a line a window.
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
            bar.step("\(result) \(name) \(answer["rows"]?.int ?? 0) rows")
        }
        bar.end()
        let parts = ["written", "kept", "gone"].map { "\(counts[$0] ?? 0) \($0)" }
        print("\(names.count) windows of \(tenant): \(parts.joined(separator: ", ")); \(rows) rows")
    }
}

/// Progress on standard error.
struct ProgressBar {
    private let total: Int
    private let unit: String
    private let isTerminal: Bool
    private var done = 0

    private static let width = 30

    init(total: Int, unit: String, isTerminal: Bool = isatty(STDERR_FILENO) == 1) {
        self.total = total
        self.unit = unit
        self.isTerminal = isTerminal
    }

    /// What is being done now.
    func show(_ item: String) {
        guard isTerminal else { return }
        write("\r\(line) \(item)\u{1B}[K")
    }

    /// Something is done; `line` tells it where there is no bar.
    mutating func step(_ line: String) {
        done += 1
        if !isTerminal { write(line + "\n") }
    }

    func end() {
        if isTerminal { write("\r\(line)\u{1B}[K\n") }
    }

    /// `[######                        ] 12 of 60 windows`
    var line: String {
        let filled = total > 0 ? done * Self.width / total : Self.width
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: Self.width - filled)
        return "[\(bar)] \(done) of \(total) \(unit)"
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
