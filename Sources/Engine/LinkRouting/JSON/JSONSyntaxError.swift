/// A JSON syntax error and its position.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    public let kind: Kind
    public let position: JSONNode.Position
    /// Byte offset of the error, from 0.
    public let offset: Int
    /// The problem, and what to write instead.
    public let message: String

    public var line: Int { position.line }
    public var column: Int { position.column }
    public var description: String { "line \(line), column \(column): \(message)" }

    public enum Kind: String, Sendable, CaseIterable {
        case empty, tooLarge, tooDeep, tooManyValues, byteOrderMark, notUTF8, html, comment, singleQuote, unquotedKey,
            trailingComma
        case missingComma, missingColon, missingValue, wrongBracket, unexpectedEnd, unexpectedCharacter, number
        case controlCharacter, escape, loneSurrogate, duplicateKey, textAfterEnd
    }
}
