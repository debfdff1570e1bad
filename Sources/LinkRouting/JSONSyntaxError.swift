/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    public let kind: Kind
    public let position: JSONNode.Position
    /// What is wrong and what to write instead.
    public let message: String

    public var line: Int { position.line }
    public var column: Int { position.column }
    /// The byte at which it was seen.
    public var offset: Int { position.offset }
    public var description: String { "line \(line), column \(column): \(message)" }

    public enum Kind: String, Sendable, CaseIterable {
        case empty, tooLarge, tooDeep, byteOrderMark, notUTF8, html, comment, singleQuote, unquotedKey, trailingComma
        case missingComma, missingColon, missingValue, wrongBracket, unexpectedEnd, unexpectedCharacter, number
        case controlCharacter, escape, loneSurrogate, duplicateKey, textAfterEnd
    }
}
