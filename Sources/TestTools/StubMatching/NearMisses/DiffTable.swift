/// The exact table with which WireMock answers a request that no stub matches.
package struct DiffTable: Sendable {
    private let width: Int
    private var text = "\n"

    package static let defaultWidth = 119

    /// - Parameter width: Columns; `X-WireMock-Console-Width` changes them.
    package static func text(name: String?, lines: [DiffLine], width: Int = defaultWidth) -> String {
        var table = DiffTable(width: min(max(width, 40), 1_000))
        table.writeHeader()
        if let name {
            table.write(name, "", nil)
            table.writeRow("", nil, nil)
        }
        for line in lines where line.attribute != "Body" || !line.isMatch {
            table.write(line.expected, line.actual, line.message)
        }
        table.writeRow("", nil, nil)
        table.writeRule()
        return table.text
    }

    private init(width: Int) { self.width = width }

    private var middle: Int { width / 2 - 1 }
    private var columnWidth: Int { width / 2 - 2 }

    private mutating func writeHeader() {
        let title = "Request was not matched"
        let padding = spaces(middle - title.utf16.count / 2)
        text += "\(padding)\(title)\n\(padding)\(String(repeating: "=", count: title.utf16.count))\n\n"
        writeRule()
        text += "|\(padded(" Closest stub", middle))|\(padded(" Request", middle))|\n"
        writeRule()
        writeRow("", nil, nil)
    }

    private mutating func writeRule() { text += String(repeating: "-", count: width) + "\n" }

    private mutating func write(_ left: String, _ right: String, _ message: String?) {
        let leftLines = wrapped(left)
        let rightLines = wrapped(right)
        for index in 0..<max(leftLines.count, rightLines.count) {
            writeRow(
                index < leftLines.count ? leftLines[index] : "",
                index < rightLines.count ? rightLines[index] : "",
                index == 0 ? message : nil
            )
        }
    }

    private mutating func writeRow(_ left: String, _ right: String?, _ message: String?) {
        text += padded(left, middle + 1) + "|"
        let right = right ?? ""
        let message = message ?? ""
        if !right.isEmpty {
            text += " " + (message.isEmpty ? right : "\(padded(right, middle - 6))<<<<< \(message)")
        } else if !message.isEmpty {
            text += "\(spaces(middle - 5))<<<<< \(message)"
        }
        text += "\n"
    }

    private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    private func padded(_ text: String, _ length: Int) -> String { text + spaces(length - text.utf16.count) }

    /// The lines of a text. If one is longer than a column, the whole text is wrapped at spaces, as commons-lang does;
    /// line breaks then count as ordinary characters. Empty lines at the end are dropped.
    private func wrapped(_ text: String) -> [String] {
        let units = Array(text.utf16)
        let isLong = units.split(separator: 0x0A).contains { $0.count > columnWidth }
        var lines = (isLong ? wrappedUnits(units) : units)
            .split(separator: 0x0A, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF16.self) }
        while lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private func wrappedUnits(_ units: [UInt16]) -> [UInt16] {
        var wrapped: [UInt16] = []
        var offset = 0
        while offset < units.count {
            let window = units[offset..<min(offset + columnWidth + 1, units.count)]
            let firstSpace = window.firstIndex(of: 0x20)
            if firstSpace == offset {
                offset += 1
                continue
            }
            guard units.count - offset > columnWidth else { break }
            let end = firstSpace == nil ? offset + columnWidth : window.lastIndex(of: 0x20) ?? offset + columnWidth
            wrapped += units[offset..<end]
            wrapped.append(0x0A)
            offset = firstSpace == nil ? end : end + 1
        }
        return wrapped + units[min(offset, units.count)...]
    }
}
