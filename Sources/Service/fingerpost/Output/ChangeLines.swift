package import LinkRouting

/// The changes of a table as text for people. Of each kind of change, a number of lines are written, and the number of
/// the others.
package struct ChangeLines {
    package let lines: [String]

    /// The maximum number of lines of one kind, and of routes in the list of moved ones; --json shows all of them.
    private static let shown = 20

    private enum Kind: CaseIterable {
        case added, removed, changed, table

        /// - Parameter line: One of the `words`, such as `adds 'item' for /item`.
        init(_ line: String) {
            if line.hasPrefix("adds '") {
                self = .added
            } else if line.hasPrefix("removes '") {
                self = .removed
            } else if line.hasPrefix("'") {
                self = .changed
            } else {
                self = .table
            }
        }

        var noun: String {
            switch self {
            case .added: "more added route"
            case .removed: "more removed route"
            case .changed: "more changed value"
            case .table: "more change"
            }
        }
    }

    /// - Parameter changes: The `changes` of a response; nil for none.
    package init(_ changes: JSONNode?) {
        let moved = (changes?["moved"]?.elements ?? []).compactMap(\.text)
        let words = (changes?["words"]?.elements ?? []).compactMap(\.text).map { line in
            line.hasPrefix("moves '") && moved.count > Self.shown ? Self.line(ofMoved: moved) : line
        }
        let groups = Dictionary(grouping: words, by: Kind.init)
        lines = Kind.allCases.flatMap { kind -> [String] in
            let own = groups[kind] ?? []
            let rest = own.count - Self.shown
            return Array(own.prefix(Self.shown)) + (rest > 0 ? ["… and \(rest.counted(kind.noun))"] : [])
        }
    }

    private static func line(ofMoved routes: [String]) -> String {
        let names = routes.prefix(shown).map { "'\($0)'" }.joined(separator: ", ")
        return "moves \(names) … and \((routes.count - shown).counted("more route"))"
    }
}
