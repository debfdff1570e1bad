/// A streaming JSON writer. It handles commas, escapes and, if requested, line breaks. The caller must close every list
/// and object and alternate keys and values in objects.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var depth = 0
    private var needsComma = false
    private var followsKey = false

    public enum Layout: Sendable {
        case compact
        /// Two spaces a level.
        case pretty
    }

    public init(_ layout: Layout = .compact, reservingCapacity capacity: Int = 0) {
        self.layout = layout
        bytes.reserveCapacity(capacity)
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Resets the writer and keeps its memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        depth = 0
        needsComma = false
        followsKey = false
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Ends a line of newline-delimited JSON. The next value is a separate document.
    public mutating func endLine() {
        precondition(depth == 0, "a line can end only after a complete document")
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    public mutating func key(_ key: String) {
        if !writeShort(key, end: UInt8(ascii: ":")) {
            separate()
            quoted(key)
            bytes.append(UInt8(ascii: ":"))
            if layout == .pretty { bytes.append(UInt8(ascii: " ")) }
        }
        followsKey = true
    }

    public mutating func string(_ text: String) {
        guard !writeShort(text, end: nil) else { return }
        separate()
        quoted(text)
    }

    public mutating func int(_ number: some BinaryInteger) {
        guard let number = Int64(exactly: number) else { return literal(String(number)) }
        int(number)
    }
    public mutating func int(_ number: Int) { int(Int64(number)) }
    public mutating func int(_ number: Int64) {
        separate()
        // The longest is -9223372036854775808.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            var rest = number.magnitude
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
    /// Writes a number as given; the caller must ensure that it is valid JSON.
    public mutating func number(_ lexeme: String) { literal(lexeme) }
    public mutating func bool(_ bool: Bool) { literal(bool ? "true" : "false") }
    public mutating func null() { literal("null") }

    /// Writes a key and its value; nothing for nil. The other overloads do the same.
    public mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        key(name)
        string(text)
    }

    public mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        key(name)
        int(number)
    }

    public mutating func member(_ name: String, _ number: Int?) {
        guard let number else { return }
        key(name)
        int(number)
    }

    public mutating func member(_ name: String, _ number: Int64?) {
        guard let number else { return }
        key(name)
        int(number)
    }

    public mutating func member(_ name: String, _ flag: Bool?) {
        guard let flag else { return }
        key(name)
        bool(flag)
    }

    public mutating func member(_ name: String, _ node: JSONNode?) {
        guard let node else { return }
        key(name)
        self.node(node)
    }

    public mutating func node(_ node: JSONNode) {
        switch node.value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let lexeme): number(lexeme)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.node(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.node(member.value)
            }
            endObject()
        }
    }

    private mutating func literal(_ lexeme: String) {
        separate()
        bytes.append(utf8Of: lexeme)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        precondition(depth > 0, "no list or object is open")
        depth -= 1
        if needsComma { breakLine() }
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if followsKey {
            followsKey = false
        } else {
            if needsComma { bytes.append(UInt8(ascii: ",")) }
            if depth > 0 { breakLine() }
        }
        needsComma = true
    }

    private mutating func breakLine() {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    /// Texts up to this length, in bytes, are written in one piece.
    private static let shortText = 128

    /// Writes a separator, a quoted text and `end` with a single append. Returns false, and writes nothing, if the text
    /// is too long for that or the layout is pretty.
    private mutating func writeShort(_ text: String, end: UInt8?) -> Bool {
        guard layout == .compact, text.utf8.count <= Self.shortText else { return false }
        // The longest escape has six bytes.
        let capacity = Self.shortText * 6 + 4
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { out in
                var count = 0
                if needsComma, !followsKey {
                    out[0] = UInt8(ascii: ",")
                    count = 1
                }
                out[count] = UInt8(ascii: "\"")
                count += 1
                if Self.isPlain(utf8) {
                    if let start = utf8.baseAddress, let place = out.baseAddress {
                        (place + count).update(from: start, count: utf8.count)
                    }
                    count += utf8.count
                } else {
                    count = Self.escape(utf8, into: out, at: count)
                }
                out[count] = UInt8(ascii: "\"")
                count += 1
                if let end {
                    out[count] = end
                    count += 1
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: out[..<count]))
            }
        }
        guard isDone != nil else { return false }
        followsKey = false
        needsComma = true
        return true
    }

    /// Whether no byte needs an escape.
    @inline(__always)
    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count >= 8 else { return utf8.allSatisfy { !needsEscape($0) } }
        guard plainEnd(utf8) > utf8.count - 8 else { return false }
        // The last word overlaps the one before it.
        return plainEnd(UnsafeBufferPointer(rebasing: utf8[(utf8.count - 8)...])) == 8
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Writes a text with its escapes, and returns the index of the next byte.
    private static func escape(
        _ utf8: UnsafeBufferPointer<UInt8>,
        into out: UnsafeMutableBufferPointer<UInt8>,
        at start: Int
    ) -> Int {
        var count = start
        for byte in utf8 {
            guard needsEscape(byte) else {
                out[count] = byte
                count += 1
                continue
            }
            for byte in escape(of: byte).utf8 {
                out[count] = byte
                count += 1
            }
        }
        return count
    }

    private mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { appendEscaped($0) }
        if isDone == nil { Array(text.utf8).withUnsafeBufferPointer { appendEscaped($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
        var run = 0
        var index = Self.plainEnd(utf8)
        while index < utf8.count {
            let byte = utf8[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: utf8[run..<index])
                appendEscape(of: byte)
                run = index + 1
            }
            index += 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[run...]))
    }

    /// Returns the end of a prefix without bytes to escape, in steps of eight bytes. It usually covers all whole words
    /// of the text.
    private static func plainEnd(_ utf8: UnsafeBufferPointer<UInt8>) -> Int { plainPrefix(utf8, stops: 0) }

    /// Returns the end of a prefix of ASCII without bytes to escape, in steps of eight bytes.
    static func plainASCII(_ utf8: UnsafeBufferPointer<UInt8>) -> Int { plainPrefix(utf8, stops: .max) }

    /// - Parameter stops: Bits of a word at which the prefix ends as well; only the top bit of each byte counts.
    @inline(__always)
    private static func plainPrefix(_ utf8: UnsafeBufferPointer<UInt8>, stops: UInt64) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let bytes = UnsafeRawBufferPointer(utf8)
        var index = 0
        while bytes.count - index >= 8 {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // The top bit of a byte in `x - n & ~x` tells whether the byte is smaller than n; exact at least for the
            // first such byte.
            let found =
                ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            guard (found | (word & stops)) & (ones &* 0x80) == 0 else { break }
            index += 8
        }
        return index
    }

    private mutating func appendEscape(of byte: UInt8) { bytes.append(contentsOf: Self.escape(of: byte).utf8) }

    /// Returns the escape of a quote, a backslash or a control character.
    private static func escape(of byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        default: (byte < 0x10 ? "\\u000" : "\\u001") + String(byte & 0xF, radix: 16)
        }
    }
}

extension JSONNode {
    /// Returns the node as JSON text.
    public func json(_ layout: JSONWriter.Layout = .compact) -> String {
        var writer = JSONWriter(layout)
        writer.node(self)
        return writer.text
    }
}
