import LinkRouting

/// Lines of generated code.
struct CodeLines {
    private(set) var lines: [String] = []
    private var depth = 0

    /// The code, which ends with a line break.
    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func add(_ line: String) {
        lines.append(line.isEmpty ? "" : String(repeating: " ", count: depth * 4) + line)
    }

    mutating func add(contentsOf text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { add(String(line)) }
    }

    /// Adds lines with one more level of indentation.
    mutating func indented(_ body: (inout CodeLines) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    mutating func block(_ opening: String, _ closing: String = "}", _ body: (inout CodeLines) -> Void) {
        add(opening)
        indented(body)
        add(closing)
    }
}

extension ScreenCatalog.Screen {
    /// The paragraphs of the comment: the note, the routes, and the notes of arguments.
    func comment(argument: (ScreenDeclaration.Argument) -> String) -> [[String]] {
        var paragraphs: [[String]] = []
        if let note { paragraphs.append(note.commentLines) }
        if !routes.isEmpty {
            let more = routes.count > 5 ? " and \(routes.count - 5) more" : ""
            let names = routes.prefix(5).map { "`\($0)`" }.joined(separator: ", ")
            paragraphs.append(["Opened by \(routes.count == 1 ? "the route" : "the routes") \(names)\(more)."])
        } else if note == nil {
            paragraphs.append("The screen \(name).".commentLines)
        }
        let notes = arguments.filter { $0.note != nil }
        if !notes.isEmpty { paragraphs.append(notes.flatMap { argument($0).commentLines }) }
        return paragraphs.filter { !$0.isEmpty }
    }
}
