/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    public let kind: Kind
    public let position: JSONNode.Position
    /// The byte at which it was seen, from 0.
    public let offset: Int
    /// What is wrong and what to write instead.
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
