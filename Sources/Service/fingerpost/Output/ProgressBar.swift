import Foundation
import LinkRouting

/// A progress bar on standard error. It prints nothing if that is not a terminal.
package struct ProgressBar {
    private let total: Int
    private let unit: String
    private let isTerminal: Bool
    private var done = 0

    private static let width = 30

    package init(total: Int, unit: String, isTerminal: Bool = isatty(STDERR_FILENO) == 1) {
        self.total = total
        self.unit = unit
        self.isTerminal = isTerminal
    }

    /// Shows the current item.
    package func show(_ item: String) {
        guard isTerminal else { return }
        write("\r\(line) \(item.escapedForTerminal)\u{1B}[K")
    }

    /// Counts a finished item.
    package mutating func step() { done += 1 }

    package func end() {
        if isTerminal { write("\r\(line)\u{1B}[K\n") }
    }

    /// The bar, such as `[######                        ] 12 of 60 windows`.
    package var line: String {
        let filled = total > 0 ? min(done, total) * Self.width / total : Self.width
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: Self.width - filled)
        return "[\(bar)] \(done) of \(total) \(unit)"
    }

    private func write(_ text: String) { StandardError.write(Array(text.utf8)) }
}
