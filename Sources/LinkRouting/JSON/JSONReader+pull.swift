/// Reading a document value by value, without a tree of the whole.
extension JSONReader {
    /// Reads UTF-8 bytes as one JSON value, which `body` consumes: an object with ``members(_:)``, a list with
    /// ``elements(_:)``, and any value with ``node()``. Keys must not repeat.
    ///
    /// - Throws: A ``JSONSyntaxError``, or what `body` throws. A syntax error anywhere in the text takes precedence.
    package static func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        limits: Limits,
        _ body: (inout JSONReader) throws -> Void
    ) throws {
        var reader = JSONReader(bytes: bytes, limits: limits, duplicateKeys: .refuse)
        try reader.begin()
        do {
            try body(&reader)
        } catch let error where !(error is JSONSyntaxError) {
            _ = try parse(bytes, limits: limits)
            throw error
        }
        try reader.end()
    }

    /// Reads the value that begins at an offset of a text that was read before. What follows the value is ignored.
    static func value(
        at offset: Int,
        of bytes: UnsafeBufferPointer<UInt8>,
        limits: Limits
    ) throws(JSONSyntaxError) -> JSONNode {
        var reader = JSONReader(bytes: bytes, limits: limits, duplicateKeys: .refuse)
        reader.index = offset
        return try reader.value()
    }

    /// Reads any value.
    package mutating func node() throws(JSONSyntaxError) -> JSONNode { try value() }

    /// Reads any value, and keeps nothing of it. The rules are those of ``node()``.
    package mutating func skip() throws(JSONSyntaxError) {
        switch peek() {
        case UInt8(ascii: "\""):
            try countValue()
            _ = try quotedText()
        case UInt8(ascii: "{"):
            try countValue()
            try enter()
            var keys = KeySet()
            guard !closes(UInt8(ascii: "}")) else { return }
            repeat {
                _ = try memberKey(&keys)
                try skip()
            } while try !endsAfterElement(closing: UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            try countValue()
            try enter()
            guard !closes(UInt8(ascii: "]")) else { return }
            repeat { try skip() } while try !endsAfterElement(closing: UInt8(ascii: "]"))
        default:
            _ = try value()
        }
    }

    /// Reads a string without copying it; nil if the next value is not a string.
    mutating func stringInPlace() throws(JSONSyntaxError) -> QuotedText? {
        guard peek() == UInt8(ascii: "\"") else { return nil }
        try countValue()
        return try quotedText()
    }

    /// Whether the next value is an object.
    package var isObject: Bool { peek() == UInt8(ascii: "{") }

    /// Reads an object. `read` is called for each member, in order, and must consume its value.
    ///
    /// - Precondition: The next value is an object.
    package mutating func members(_ read: (inout JSONReader, _ key: QuotedText) throws -> Void) throws {
        precondition(isObject, "only an object has members")
        try countValue()
        try enter()
        var keys = KeySet()
        guard !closes(UInt8(ascii: "}")) else { return }
        while true {
            try read(&self, try memberKey(&keys))
            if try endsAfterElement(closing: UInt8(ascii: "}")) { return }
        }
    }

    /// Whether the next value is a list.
    package var isList: Bool { peek() == UInt8(ascii: "[") }

    /// Reads a list. `read` is called for each element, in order, and must consume it.
    ///
    /// - Precondition: The next value is a list.
    package mutating func elements(_ read: (inout JSONReader) throws -> Void) throws {
        precondition(isList, "only a list has elements")
        try countValue()
        try enter()
        guard !closes(UInt8(ascii: "]")) else { return }
        while true {
            try read(&self)
            if try endsAfterElement(closing: UInt8(ascii: "]")) { return }
        }
    }
}
