/// A strict RFC 8259 parser for tables, association files and messages. Never traps; its recursion depth is bounded.
public struct JSONReader {
    public struct Limits: Sendable {
        public var maximumBytes: Int
        /// Maximum nesting depth of lists and objects.
        public let maximumDepth: Int
        /// Maximum number of values; lists, objects and keys count as well. Each takes memory, however short its text
        /// is.
        public var maximumValues: Int

        /// The parser recurses for each level; a `maximumDepth` above 128 is reduced to 128.
        public init(maximumBytes: Int, maximumDepth: Int = 32, maximumValues: Int = .max) {
            self.maximumBytes = maximumBytes
            self.maximumDepth = min(maximumDepth, 128)
            self.maximumValues = maximumValues
        }
    }

    public enum DuplicateKeys: Sendable {
        /// A repeated key in one object is an error. Keys are compared by bytes.
        case refuse
        /// Every member is kept in order; a lookup returns the last.
        case keep
    }

    let bytes: UnsafeBufferPointer<UInt8>
    private let limits: Limits
    private let duplicateKeys: DuplicateKeys
    /// Index of the next unread byte.
    var index = 0
    private var line = 1
    private var lineStart = 0
    /// UTF-8 continuation bytes of the current line so far; they are not counted as columns.
    var continuationBytes = 0
    private var depth = 0
    private var values = 0

    /// Parses UTF-8 bytes as one JSON value.
    public static func parse(
        _ bytes: some Collection<UInt8>,
        limits: Limits,
        duplicateKeys: DuplicateKeys = .refuse
    ) throws(JSONSyntaxError) -> JSONNode {
        func parse(_ buffer: UnsafeBufferPointer<UInt8>) -> Result<JSONNode, JSONSyntaxError> {
            var reader = JSONReader(bytes: buffer, limits: limits, duplicateKeys: duplicateKeys)
            do throws(JSONSyntaxError) { return .success(try reader.document()) } catch { return .failure(error) }
        }
        let result = bytes.withContiguousStorageIfAvailable(parse) ?? Array(bytes).withUnsafeBufferPointer(parse)
        return try result.get()
    }

    /// Parses a text as one JSON value.
    public static func parse(
        _ text: String,
        limits: Limits,
        duplicateKeys: DuplicateKeys = .refuse
    ) throws(JSONSyntaxError) -> JSONNode {
        try parse(text.utf8, limits: limits, duplicateKeys: duplicateKeys)
    }

    init(bytes: UnsafeBufferPointer<UInt8>, limits: Limits, duplicateKeys: DuplicateKeys) {
        self.bytes = bytes
        self.limits = limits
        self.duplicateKeys = duplicateKeys
    }

    private mutating func document() throws(JSONSyntaxError) -> JSONNode {
        try begin()
        let node = try value()
        try end()
        return node
    }

    /// Advances to the first byte of the value.
    mutating func begin() throws(JSONSyntaxError) {
        try checkEncoding()
        try skipSpace()
        guard let first = peek() else { throw error(.empty, "the text is empty; write a JSON value.") }
        if first == UInt8(ascii: "<") { throw error(.html, "this is HTML or XML, not JSON; write a JSON value.") }
    }

    /// Checks that nothing follows the value.
    mutating func end() throws(JSONSyntaxError) {
        try skipSpace()
        guard index == bytes.count else {
            throw error(.textAfterEnd, "the JSON value ends before this; remove what follows it.")
        }
    }

    private func checkEncoding() throws(JSONSyntaxError) {
        guard bytes.count <= limits.maximumBytes else {
            throw error(.tooLarge, "the text has \(bytes.count) bytes; at most \(limits.maximumBytes) are allowed.")
        }
        // Only ASCII begins a text of JSON.
        guard let first = peek(), first >= 0x80 || bytes.prefix(2).contains(0) else { return }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw error(.byteOrderMark, "the text starts with a byte order mark; save it as UTF-8 without one.")
        }
        let startsAsUTF16 = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
        if startsAsUTF16 || bytes.prefix(2).contains(0) {
            throw error(.notUTF8, "the text looks like UTF-16 or UTF-32; save it as UTF-8.")
        }
    }

    mutating func value() throws(JSONSyntaxError) -> JSONNode {
        guard let byte = peek() else {
            throw error(.unexpectedEnd, "the text ends where a value is expected; add one.")
        }
        try countValue()
        let start = position
        switch byte {
        case UInt8(ascii: "{"): return JSONNode(.object(try object()), at: start)
        case UInt8(ascii: "["): return JSONNode(.array(try array()), at: start)
        case UInt8(ascii: "\""): return JSONNode(.string(try string()), at: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSONNode(.number(try number()), at: start)
        case UInt8(ascii: "t") where take("true"): return JSONNode(.bool(true), at: start)
        case UInt8(ascii: "f") where take("false"): return JSONNode(.bool(false), at: start)
        case UInt8(ascii: "n") where take("null"): return JSONNode(.null, at: start)
        default: throw notAValue(byte)
        }
    }

    mutating func countValue() throws(JSONSyntaxError) {
        values += 1
        guard values <= limits.maximumValues else {
            throw error(
                .tooManyValues,
                "the text has more than \(limits.maximumValues) values, counting lists, objects and keys; shorten it."
            )
        }
    }

    // MARK: Lists and objects

    private mutating func array() throws(JSONSyntaxError) -> [JSONNode] {
        try enter()
        var elements: [JSONNode] = []
        guard !closes(UInt8(ascii: "]")) else { return elements }
        while true {
            elements.append(try value())
            if try endsAfterElement(closing: UInt8(ascii: "]")) { return elements }
        }
    }

    private mutating func object() throws(JSONSyntaxError) -> [JSONNode.Member] {
        try enter()
        var members: [JSONNode.Member] = []
        var keys = KeySet()
        guard !closes(UInt8(ascii: "}")) else { return members }
        while true {
            let keyPosition = position
            let key = try memberKey(&keys).text
            members.append(JSONNode.Member(key, try value(), at: keyPosition))
            if try endsAfterElement(closing: UInt8(ascii: "}")) { return members }
        }
    }

    /// Reads a key and its colon.
    ///
    /// - Parameter keys: The keys of the object so far.
    mutating func memberKey(_ keys: inout KeySet) throws(JSONSyntaxError) -> QuotedText {
        let start = index
        let key = try self.key()
        if duplicateKeys == .refuse, let first = keys.insert(key, in: bytes) {
            let first = position(at: first)
            throw error(
                .duplicateKey,
                "duplicate key '\(key.text)', first at line \(first.line), column \(first.column); remove one.",
                at: start
            )
        }
        try skipSpace()
        guard peek() == UInt8(ascii: ":") else {
            throw error(.missingColon, "there must be a ':' between the key and its value.")
        }
        index += 1
        try skipSpace()
        return key
    }

    private mutating func key() throws(JSONSyntaxError) -> QuotedText {
        switch peek() {
        case UInt8(ascii: "\""):
            try countValue()
            return try quotedText()
        case UInt8(ascii: "'"): throw error(.singleQuote, "JSON keys need double quotes; write \"…\".")
        case UInt8(ascii: ","): throw error(.missingValue, "a key and its value are missing here; remove the comma.")
        case nil: throw error(.unexpectedEnd, "the text ends inside an object; add '}'.")
        default: throw error(.unquotedKey, "a key in double quotes is expected here; write \"key\": value.")
        }
    }

    /// Enters a list or object.
    mutating func enter() throws(JSONSyntaxError) {
        depth += 1
        guard depth <= limits.maximumDepth else {
            throw error(.tooDeep, "lists and objects nest deeper than \(limits.maximumDepth) levels; flatten them.")
        }
        index += 1
        try skipSpace()
    }

    /// Leaves a list or object if its closing bracket is next.
    mutating func closes(_ bracket: UInt8) -> Bool {
        guard peek() == bracket else { return false }
        index += 1
        depth -= 1
        return true
    }

    /// Reads the separator after an element. Returns whether the list or object ends there.
    mutating func endsAfterElement(closing bracket: UInt8) throws(JSONSyntaxError) -> Bool {
        try skipSpace()
        guard !closes(bracket) else { return true }
        switch peek() {
        case UInt8(ascii: ","):
            // The bracket may be on another line.
            let (comma, offset) = (position, index)
            index += 1
            try skipSpace()
            if peek() == bracket {
                throw JSONSyntaxError(
                    kind: .trailingComma,
                    position: comma,
                    offset: offset,
                    message: "there is a comma after the last value; remove it."
                )
            }
            return false
        case nil:
            throw error(.unexpectedEnd, "the text ends here; add '\(Unicode.Scalar(bracket))'.")
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            throw error(
                .wrongBracket,
                "this is the wrong closing bracket; '\(Unicode.Scalar(bracket))' is expected here."
            )
        default:
            throw error(.missingComma, "a comma is missing before this; add ','.")
        }
    }

    // MARK: Bytes and positions

    @inline(__always)
    mutating func skipSpace() throws(JSONSyntaxError) {
        // Compact JSON has no space.
        guard let byte = peek(), byte <= 0x20 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") else { return }
        try skipSpaceOrFail()
    }

    private mutating func skipSpaceOrFail() throws(JSONSyntaxError) {
        while let byte = peek() {
            switch byte {
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

    func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Consumes a word if it is next.
    mutating func take(_ word: StaticString) -> Bool {
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[index...].starts(with: word) else { return false }
        index += word.count
        return true
    }

    /// Position of the next unread byte.
    package var position: JSONNode.Position {
        JSONNode.Position(line: line, column: index - lineStart - continuationBytes + 1)
    }

    /// Position of any byte. It is counted from the beginning of the text, for errors only.
    private func position(at offset: Int) -> JSONNode.Position {
        let before = bytes[..<offset]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSONNode.Position(
            line: before.count { $0 == 0x0A } + 1,
            column: bytes[lineStart..<offset].count { $0 & 0xC0 != 0x80 } + 1
        )
    }

    /// - Parameter offset: A byte of the current line; nil for the next unread byte.
    func error(_ kind: JSONSyntaxError.Kind, _ message: String, at offset: Int? = nil) -> JSONSyntaxError {
        let offset = offset ?? index
        let column = bytes[lineStart..<offset].count { $0 & 0xC0 != 0x80 } + 1
        return JSONSyntaxError(
            kind: kind,
            position: JSONNode.Position(line: line, column: column),
            offset: offset,
            message: message
        )
    }
}
