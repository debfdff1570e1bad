/// A streaming JSON writer. It handles commas, escapes and, if requested, line breaks. The caller must close every list
/// and object and alternate keys and values in objects.
public struct JSONWriter: Sendable {
    /// The text is its first `count` bytes. The rest is zero, so a write needs no check of capacity for each byte.
    private var storage: [UInt8]
    private var count = 0
    private let layout: Layout
    private var depth = 0
    /// Whether a comma precedes the next key or element; false after a key.
    private var needsComma = false
    /// Whether a key comes just before. Set in the pretty layout only, where its value is in the same line.
    private var followsKey = false

    public enum Layout: Sendable {
        case compact
        /// Two spaces a level.
        case pretty
    }

    private typealias Key = ReservedOutput.Key

    public init(_ layout: Layout = .compact, reservingCapacity capacity: Int = 0) {
        self.layout = layout
        // `Array(repeating:count:)` looks up the type of its memory at run time, which takes as long as four keys. A copy
        // does not.
        storage =
            capacity <= Self.zeros.count
            ? Self.zeros.withUnsafeBufferPointer { Array(UnsafeBufferPointer(rebasing: $0[..<capacity])) }
            : Array(repeating: 0, count: capacity)
    }

    private static let zeros = [UInt8](repeating: 0, count: 1_024)

    /// A copy of what is written.
    public var bytes: [UInt8] { Array(storage[..<count]) }
    public var byteCount: Int { count }
    public var text: String { String(decoding: storage[..<count], as: UTF8.self) }

    /// Returns what is written, without a copy.
    public consuming func finish() -> [UInt8] {
        storage.removeLast(storage.count - count)
        return storage
    }

    /// Resets the writer and keeps its memory.
    public mutating func removeAll() {
        count = 0
        depth = 0
        needsComma = false
        followsKey = false
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Writes a key and opens its object.
    package mutating func beginObject(key: StaticString) { open(UInt8(ascii: "{"), after: Key(key)) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Writes a key and opens its list.
    package mutating func beginArray(key: StaticString) { open(UInt8(ascii: "["), after: Key(key)) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Ends a line of newline-delimited JSON. The next value is a separate document.
    public mutating func endLine() {
        precondition(depth == 0, "a line can end only after a complete document")
        append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Writes a key that needs no escape.
    public mutating func key(_ key: StaticString) { self.key(Key(key)) }

    private mutating func key(_ key: Key) {
        let comma = takeComma()
        write(atMost: key.length) { output in
            output.append(comma: comma, key)
            return true
        }
        endKey()
    }

    /// Writes any key.
    public mutating func key(escaping key: String) {
        quoted(key, after: .none)
        append(UInt8(ascii: ":"))
        endKey()
    }

    @inline(__always)
    private mutating func endKey() {
        needsComma = false
        guard layout == .pretty else { return }
        append(UInt8(ascii: " "))
        followsKey = true
    }

    public mutating func string(_ text: String) { quoted(text, after: .none) }

    public mutating func int(_ number: some BinaryInteger) {
        guard let number = Int64(exactly: number) else { return self.number(String(number)) }
        int(number)
    }
    public mutating func int(_ number: Int) { int(Int64(number)) }
    public mutating func int(_ number: Int64) { int(number, after: .none) }
    /// Writes a number as given; the caller must ensure that it is valid JSON.
    public mutating func number(_ lexeme: String) {
        if takeComma() { append(UInt8(ascii: ",")) }
        withUTF8(lexeme) { $0.append($1) }
    }
    public mutating func bool(_ bool: Bool) { literal(bool ? "true" : "false", after: .none) }
    public mutating func null() { literal("null", after: .none) }

    /// Writes a key and its value; nothing for nil. The other overloads do the same.
    public mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        quoted(text, after: Key(name))
    }

    public mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        key(name)
        int(number)
    }

    public mutating func member(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        int(Int64(number), after: Key(name))
    }

    public mutating func member(_ name: StaticString, _ number: Int64?) {
        guard let number else { return }
        int(number, after: Key(name))
    }

    public mutating func member(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        literal(flag ? "true" : "false", after: Key(name))
    }

    public mutating func member(_ name: StaticString, _ node: JSONNode?) {
        guard let node else { return }
        key(name)
        self.node(node)
    }

    /// Writes a key and a text of `count` bytes, which `fill` writes. They must be UTF-8 and need no escape.
    package mutating func member(
        _ name: StaticString,
        plainBytes count: Int,
        _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        value(after: Key(name), atMost: count + 2) { output in
            output.append(UInt8(ascii: "\""))
            output.append(count, filledBy: fill)
            output.append(UInt8(ascii: "\""))
        }
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
                key(escaping: member.key)
                self.node(member.value)
            }
            endObject()
        }
    }

    private mutating func int(_ number: Int64, after key: Key) {
        // The longest is -9223372036854775808.
        value(after: key, atMost: 20) { $0.append(number) }
    }

    private mutating func literal(_ lexeme: StaticString, after key: Key) {
        value(after: key, atMost: lexeme.utf8CodeUnitCount) { $0.append(lexeme) }
    }

    private mutating func open(_ bracket: UInt8, after key: Key = .none) {
        value(after: key, atMost: 1) { $0.append(bracket) }
        depth += 1
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        precondition(depth > 0, "no list or object is open")
        depth -= 1
        if needsComma, layout == .pretty { breakLine() }
        append(bracket)
        needsComma = true
    }

    // MARK: Before a value

    /// Writes a value of at most `capacity` bytes, and what precedes it, in one step: to make sure of the room takes as
    /// long as to write a short value.
    @inline(__always)
    private mutating func value(after key: Key, atMost capacity: Int, _ body: (inout ReservedOutput) -> Void) {
        let (comma, key) = takePrefix(key)
        write(atMost: capacity &+ key.length) { output in
            output.append(comma: comma, key)
            body(&output)
            return true
        }
    }

    /// Begins a value that follows a key if there is one. In the compact layout, returns what the caller must write
    /// before it; in the pretty one, that is written here.
    @inline(__always)
    private mutating func takePrefix(_ key: Key) -> (comma: Bool, key: Key) {
        if layout == .pretty, key.isPresent {
            self.key(key)
            return (takeComma(), .none)
        }
        return (takeComma(), key)
    }

    /// Writes what precedes a key or a value in the pretty layout. In the compact layout, returns whether a comma
    /// precedes it.
    @inline(__always)
    private mutating func takeComma() -> Bool {
        let comma = needsComma
        needsComma = true
        guard layout == .pretty else { return comma }
        beginPrettyValue(after: comma)
        return false
    }

    @inline(never)
    private mutating func beginPrettyValue(after comma: Bool) {
        if comma { append(UInt8(ascii: ",")) }
        if !followsKey, depth > 0 { breakLine() }
        followsKey = false
    }

    private mutating func breakLine() {
        append(UInt8(ascii: "\n"))
        for _ in 0..<(depth * 2) { append(UInt8(ascii: " ")) }
    }

    // MARK: Texts

    /// Writes a text in quotes, after its key if there is one.
    private mutating func quoted(_ text: String, after key: Key) {
        var text = text
        text.withUTF8 { quoted($0, after: key) }
    }

    /// A separate function, because the compiler duplicates the closure of `withUTF8` for short and long texts, and would
    /// inline nothing into two copies of this.
    @inline(never)
    private mutating func quoted(_ utf8: UnsafeBufferPointer<UInt8>, after key: Key) {
        let (comma, key) = takePrefix(key)
        // A local function, because a closure of this size would not be inlined.
        @inline(__always)
        func body(_ output: inout ReservedOutput) -> Bool {
            output.append(comma: comma, key)
            output.append(UInt8(ascii: "\""))
            guard output.append(plain: utf8) else { return false }
            output.append(UInt8(ascii: "\""))
            return true
        }
        if !write(atMost: utf8.count &+ key.length &+ 2, body) { escaped(utf8, after: key, comma: comma) }
    }

    @inline(never)
    private mutating func escaped(_ utf8: UnsafeBufferPointer<UInt8>, after key: Key, comma: Bool) {
        write(atMost: key.length &+ 1) { output in
            output.append(comma: comma, key)
            output.append(UInt8(ascii: "\""))
            return true
        }
        var run = 0
        for (index, byte) in utf8.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            append(UnsafeBufferPointer(rebasing: utf8[run..<index]))
            withUTF8(Self.escape(of: byte)) { $0.append($1) }
            run = index + 1
        }
        append(UnsafeBufferPointer(rebasing: utf8[run...]))
        append(UInt8(ascii: "\""))
    }

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

    // MARK: Bytes

    /// Writes up to `capacity` bytes at the end of the text, or nothing if `body` returns false. Returns that result.
    @inline(__always)
    @discardableResult
    private mutating func write(atMost capacity: Int, _ body: (inout ReservedOutput) -> Bool) -> Bool {
        if storage.count &- count < capacity { grow(by: capacity) }
        let start = count
        let length: Int? = storage.withUnsafeMutableBufferPointer { storage in
            guard let base = storage.baseAddress else { return nil }
            var output = ReservedOutput(at: base + start)
            return body(&output) ? output.cursor - (base + start) : nil
        }
        count += length ?? 0
        return length != nil
    }

    private mutating func grow(by capacity: Int) {
        storage.append(contentsOf: repeatElement(0, count: max(capacity, storage.count, 256)))
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        if storage.count == count { grow(by: 1) }
        storage[count] = byte
        count += 1
    }

    private mutating func append(_ utf8: UnsafeBufferPointer<UInt8>) {
        write(atMost: utf8.count) { output in
            output.append(utf8)
            return true
        }
    }

    @inline(__always)
    private mutating func withUTF8(_ text: String, _ body: (inout Self, UnsafeBufferPointer<UInt8>) -> Void) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { body(&self, $0) }
        if isDone == nil { Array(text.utf8).withUnsafeBufferPointer { body(&self, $0) } }
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
