import LinkStorage

/// A statement with PostgreSQL's numbered parameters, made from one with `?` or `:name`.
struct PostgresStatement {
    let sql: String
    /// The names of the parameters in their order; nil for `?`.
    private let names: [String]?

    init(_ sql: String) {
        var (text, names, count) = ("", [String](), 0)
        var rest = Substring(sql)
        while let first = rest.first {
            switch first {
            case "'", "\"":
                let quoted = rest.dropFirst().prefix { $0 != first }
                text += "\(first)\(quoted)\(first)"
                rest = rest.dropFirst(quoted.count + 2)
            case "?":
                count += 1
                text += "$\(count)"
                rest = rest.dropFirst()
            case ":" where rest.hasPrefix("::"):
                text += "::"
                rest = rest.dropFirst(2)
            case ":" where rest.dropFirst().first?.isLetter ?? false:
                let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                let position = names.firstIndex(of: String(name)) ?? names.endIndex
                if position == names.endIndex { names.append(String(name)) }
                text += "$\(position + 1)"
                rest = rest.dropFirst(name.count + 1)
            default:
                let plain = rest.prefix { !"'\"?:".contains($0) }
                text += plain.isEmpty ? rest.prefix(1) : plain
                rest = rest.dropFirst(max(plain.count, 1))
            }
        }
        self.sql = text
        self.names = names.isEmpty ? nil : names
    }

    /// Returns the values of the parameters in their order.
    func values(_ arguments: SQLArguments) -> [SQLValue] {
        switch arguments {
        case .list(let values): values
        case .named(let values): (names ?? []).map { values[$0] ?? .null }
        }
    }
}
