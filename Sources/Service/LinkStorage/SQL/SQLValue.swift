package import Foundation

/// A value that a statement binds, or a column of a row. Texts are exact: they may contain NUL in SQLite.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case bytes(Data)
}

/// A type that statements bind and read.
package protocol SQLConvertible: Sendable {
    var sqlValue: SQLValue { get }
    /// Nil if the value has another type.
    init?(_ value: SQLValue)
}

extension Int64: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self) }

    package init?(_ value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Int: SQLConvertible {
    package var sqlValue: SQLValue { .integer(Int64(self)) }

    package init?(_ value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

/// Stored as 0 and 1.
extension Bool: SQLConvertible {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }

    package init?(_ value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self = number != 0
    }
}

extension String: SQLConvertible {
    package var sqlValue: SQLValue { .text(self) }

    package init?(_ value: SQLValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension Data: SQLConvertible {
    package var sqlValue: SQLValue { .bytes(self) }

    package init?(_ value: SQLValue) {
        guard case .bytes(let bytes) = value else { return nil }
        self = bytes
    }
}

/// The values of a statement's parameters: a list for `?`, a dictionary for `:name`. One statement uses one kind.
package enum SQLArguments: Sendable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    case list([SQLValue])
    case named([String: SQLValue])

    package init(_ values: [String: (any SQLConvertible)?]) {
        self = .named(values.mapValues { $0?.sqlValue ?? .null })
    }

    package init(arrayLiteral values: (any SQLConvertible)?...) {
        self = .list(values.map { $0?.sqlValue ?? .null })
    }

    package init(dictionaryLiteral values: (String, (any SQLConvertible)?)...) {
        self = .named(Dictionary(values.map { ($0, $1?.sqlValue ?? .null) }) { _, last in last })
    }
}
