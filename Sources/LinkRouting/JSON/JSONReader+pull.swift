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

    /// Reads any value.
    package mutating func node() throws(JSONSyntaxError) -> JSONNode { try value() }

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
