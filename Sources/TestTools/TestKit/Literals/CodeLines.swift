/// Lines of code with indentation.
struct CodeLines {
    private(set) var lines: [String] = []
    private var depth = 0

    mutating func add(_ line: String) {
        lines.append(line.isEmpty ? "" : String(repeating: "    ", count: depth) + line)
    }

    mutating func add(_ lines: [String]) {
        for line in lines { add(line) }
    }

    /// Adds a line, an indented body and the closing line.
    mutating func block(_ opening: String, closing: String = "}", _ body: (inout CodeLines) -> Void) {
        add(opening)
        depth += 1
        body(&self)
        depth -= 1
        add(closing)
    }

    var text: String { lines.joined(separator: "\n") + "\n" }
}
