/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    public let kind: Kind
    public let position: JSONNode.Position
    /// The byte at which it was seen.
    public let offset: Int
    /// What is wrong and what to write instead.
    public let message: String

    public var description: String { "line \(position.line), column \(position.column): \(message)" }

    public enum Kind: String, Sendable, CaseIterable {
        case empty, tooLarge, tooDeep, byteOrderMark, notUTF8, html, comment, singleQuote, unquotedKey, trailingComma
        case missingComma, missingColon, missingValue, unexpectedEnd, unexpectedCharacter, number, string, escape
        case loneSurrogate, duplicateKey, textAfterEnd
    }
}

/// One strict RFC 8259 reader for tables, association files and messages. Never traps; its depth is bounded.
public struct JSONReader {
    public struct Limits: Sendable {
        public var maximumBytes: Int
        /// How many lists and objects may stand inside one another.
        public var maximumDepth: Int

        public init(maximumBytes: Int, maximumDepth: Int = 32) {
            self.maximumBytes = maximumBytes
            self.maximumDepth = maximumDepth
        }
    }

    public enum DuplicateKeys: Sendable {
        /// A key that stands twice in one object is an error.
        case refuse
        /// Every member is kept, in order; looking one up finds the last.
        case keep
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: Limits
    private let duplicateKeys: DuplicateKeys
    private var index = 0
    private var line = 1
    private var lineStart = 0
    /// UTF-8 continuation bytes of the line so far, which are no columns of their own.
    private var continuationBytes = 0
    private var depth = 0

    public static func parse(
        _ bytes: [UInt8],
        limits: Limits,
        duplicateKeys: DuplicateKeys = .refuse
    ) throws(JSONSyntaxError) -> JSONNode {
        let result: Result<JSONNode, JSONSyntaxError> = bytes.withUnsafeBufferPointer { buffer in
            var reader = JSONReader(bytes: buffer, limits: limits, duplicateKeys: duplicateKeys)
            do throws(JSONSyntaxError) { return .success(try reader.document()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    public static func parse(
        _ text: String,
        limits: Limits,
        duplicateKeys: DuplicateKeys = .refuse
    ) throws(JSONSyntaxError) -> JSONNode {
        try parse(Array(text.utf8), limits: limits, duplicateKeys: duplicateKeys)
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: Limits, duplicateKeys: DuplicateKeys) {
        self.bytes = bytes
        self.limits = limits
        self.duplicateKeys = duplicateKeys
    }

    private mutating func document() throws(JSONSyntaxError) -> JSONNode {
        guard bytes.count <= limits.maximumBytes else {
            throw error(.tooLarge, "the text has \(bytes.count) bytes; at most \(limits.maximumBytes) are allowed.")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw error(.byteOrderMark, "the text starts with a byte order mark; save it as UTF-8 without one.")
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
            || (bytes.count > 1 && (bytes[0] == 0 || bytes[1] == 0))
        {
            throw error(.notUTF8, "the text looks like UTF-16 or UTF-32; save it as UTF-8.")
        }
        try skipSpace()
        guard index < bytes.count else { throw error(.empty, "the text is empty; write a JSON value.") }
        if bytes[index] == UInt8(ascii: "<") {
            throw error(.html, "this is HTML or XML, not JSON; serve the file itself.")
        }
        let node = try value()
        try skipSpace()
        guard index == bytes.count else {
            throw error(.textAfterEnd, "the value has ended; remove what stands behind it.")
        }
        return node
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONNode {
        guard index < bytes.count else { throw error(.unexpectedEnd, "the text ends where a value should stand.") }
        let start = position
        switch bytes[index] {
        case UInt8(ascii: "{"): return JSONNode(.object(try object()), at: start)
        case UInt8(ascii: "["): return JSONNode(.array(try array()), at: start)
        case UInt8(ascii: "\""): return JSONNode(.string(try string()), at: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSONNode(.number(try number()), at: start)
        case UInt8(ascii: "t") where take("true"): return JSONNode(.bool(true), at: start)
        case UInt8(ascii: "f") where take("false"): return JSONNode(.bool(false), at: start)
        case UInt8(ascii: "n") where take("null"): return JSONNode(.null, at: start)
        case UInt8(ascii: "'"): throw error(.singleQuote, "JSON strings stand in double quotes; write \"…\".")
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"):
            throw error(.missingValue, "a value is missing here.")
        case UInt8(ascii: "+"), UInt8(ascii: "."):
            throw error(.number, "a number starts with a digit or '-'.")
        default:
            throw error(
                .unexpectedCharacter,
                "a value is a string in double quotes, a number, true, false, null, […] or {…}."
            )
        }
    }

    private mutating func enter() throws(JSONSyntaxError) {
        depth += 1
        guard depth <= limits.maximumDepth else {
            throw error(.tooDeep, "lists and objects nest deeper than \(limits.maximumDepth) levels.")
        }
        index += 1
        try skipSpace()
    }

    private mutating func array() throws(JSONSyntaxError) -> [JSONNode] {
        try enter()
        var elements: [JSONNode] = []
        if peek() == UInt8(ascii: "]") {
            index += 1
            depth -= 1
            return elements
        }
        while true {
            elements.append(try value())
            if try separator(closing: UInt8(ascii: "]")) { return elements }
        }
    }

    private mutating func object() throws(JSONSyntaxError) -> [JSONNode.Member] {
        try enter()
        var members: [JSONNode.Member] = []
        var keys: Set<String> = []
        if peek() == UInt8(ascii: "}") {
            index += 1
            depth -= 1
            return members
        }
        while true {
            let keyPosition = position
            guard let byte = peek() else { throw error(.unexpectedEnd, "the text ends inside an object; add '}'.") }
            guard byte == UInt8(ascii: "\"") else {
                if byte == UInt8(ascii: "'") {
                    throw error(.singleQuote, "JSON keys stand in double quotes; write \"…\".")
                }
                throw error(.unquotedKey, "a key in double quotes should stand here.")
            }
            let (keyOffset, keyContinuation) = (index, continuationBytes)
            let key = try string()
            if duplicateKeys == .refuse, !keys.insert(key).inserted {
                let first = members.first { $0.key == key }?.keyPosition ?? .unknown
                (index, continuationBytes) = (keyOffset, keyContinuation)
                throw error(
                    .duplicateKey,
                    "the key '\(key)' stands twice; the first is at line \(first.line), column \(first.column)."
                )
            }
            try skipSpace()
            guard peek() == UInt8(ascii: ":") else {
                throw error(.missingColon, "':' should stand between the key and its value.")
            }
            index += 1
            try skipSpace()
            members.append(JSONNode.Member(key, try value(), at: keyPosition))
            if try separator(closing: UInt8(ascii: "}")) { return members }
        }
    }

    /// Reads what stands behind an element; whether the list or object ends there.
    private mutating func separator(closing: UInt8) throws(JSONSyntaxError) -> Bool {
        try skipSpace()
        switch peek() {
        case closing:
            index += 1
            depth -= 1
            return true
        case UInt8(ascii: ","):
            let comma = index
            index += 1
            try skipSpace()
            if peek() == closing {
                index = comma
                throw error(.trailingComma, "a comma stands before the end; remove it.")
            }
            return false
        case nil:
            throw error(.unexpectedEnd, "the text ends here; add '\(closing == UInt8(ascii: "]") ? "]" : "}")'.")
        default:
            throw error(.missingComma, "a comma is missing before this.")
        }
    }

    private mutating func number() throws(JSONSyntaxError) -> String {
        let start = index
        if peek() == UInt8(ascii: "-") { index += 1 }
        let integer = digits()
        guard integer > 0 else { throw error(.number, "a digit should follow '-'.") }
        if integer > 1, bytes[index - integer] == UInt8(ascii: "0") {
            throw error(.number, "a number has no leading zeros.")
        }
        if peek() == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { throw error(.number, "a digit should follow the decimal point.") }
        }
        if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
            index += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { index += 1 }
            guard digits() > 0 else { throw error(.number, "a digit should follow the exponent's 'e'.") }
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        index += 1
        let start = index
        while let byte = peek() {
            if byte == UInt8(ascii: "\"") {
                guard let text = String(validating: bytes[start..<index], as: UTF8.self) else {
                    throw error(.notUTF8, "the string is not UTF-8.")
                }
                index += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw controlCharacter() }
            if byte & 0xC0 == 0x80 { continuationBytes += 1 }
            index += 1
        }
        throw error(.unexpectedEnd, "the string is not closed; add '\"'.")
    }

    /// The rest of a string from its first escape on.
    private mutating func escapedString(from start: Int) throws(JSONSyntaxError) -> String {
        var decoded = Array(bytes[start..<index])
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: decoded, as: UTF8.self) else {
                    throw error(.notUTF8, "the string is not UTF-8.")
                }
                index += 1
                return text
            case UInt8(ascii: "\\"):
                index += 1
                try appendEscape(to: &decoded)
            case ..<0x20:
                throw controlCharacter()
            default:
                if byte & 0xC0 == 0x80 { continuationBytes += 1 }
                decoded.append(byte)
                index += 1
            }
        }
        throw error(.unexpectedEnd, "the string is not closed; add '\"'.")
    }

    private mutating func appendEscape(to decoded: inout [UInt8]) throws(JSONSyntaxError) {
        guard let byte = peek() else { throw error(.unexpectedEnd, "the text ends inside an escape.") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = try hexadecimal()
            if (0xD800..<0xDC00).contains(scalar), take("\\u") {
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw loneSurrogate() }
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(scalar) else { throw loneSurrogate() }
            decoded.append(contentsOf: String(Character(scalar)).utf8)
        default:
            index -= 1
            throw error(.escape, "'\\' may be followed only by \" \\ / b f n r t or uXXXX; write \\\\ for a backslash.")
        }
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = hexValue(byte) else {
                throw error(.escape, "\\u is followed by four hexadecimal digits.")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    private mutating func skipSpace() throws(JSONSyntaxError) {
        while index < bytes.count {
            switch bytes[index] {
            case 0x0A:
                index += 1
                line += 1
                lineStart = index
                continuationBytes = 0
            case 0x20, 0x09, 0x0D:
                index += 1
            case UInt8(ascii: "/"), UInt8(ascii: "#"):
                throw error(.comment, "JSON has no comments; remove it.")
            default:
                return
            }
        }
    }

    private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ word: StaticString) -> Bool {
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes.count - index >= word.count, bytes[index..<(index + word.count)].elementsEqual(word) else {
            return false
        }
        index += word.count
        return true
    }

    private var position: JSONNode.Position {
        JSONNode.Position(line: line, column: index - lineStart - continuationBytes + 1)
    }

    private func controlCharacter() -> JSONSyntaxError {
        error(.string, "a control character stands in a string; write it as an escape, a line break as \\n.")
    }

    private func loneSurrogate() -> JSONSyntaxError {
        error(.loneSurrogate, "half of a surrogate pair is not a character; write both halves.")
    }

    private func error(_ kind: JSONSyntaxError.Kind, _ message: String) -> JSONSyntaxError {
        JSONSyntaxError(kind: kind, position: position, offset: index, message: message)
    }
}
