/// Reading a document value by value, without a tree of the whole.
extension JSONReader {
    /// Reads UTF-8 bytes as one JSON value, which `body` consumes: an object with ``beginObject()``, a list with
    /// ``beginList()``, and any value with ``node()``. Keys must not repeat.
    ///
    /// - Throws: A ``JSONSyntaxError``, or what `body` throws. A syntax error anywhere in the text takes precedence.
    package static func read<Value>(
        _ bytes: UnsafeBufferPointer<UInt8>,
        limits: Limits,
        _ body: (inout JSONReader) throws -> Value
    ) throws -> Value {
        var reader = JSONReader(bytes: bytes, limits: limits, duplicateKeys: .refuse)
        try reader.begin()
        let value: Value
        do {
            value = try body(&reader)
        } catch let error where !(error is JSONSyntaxError) {
            _ = try parse(bytes, limits: limits)
            throw error
        }
        try reader.end()
        return value
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

    /// An object that is being read. It knows the keys so far.
    package struct OpenObject {
        fileprivate var keys = KeySet()
        fileprivate var isAtStart = true
    }

    /// Enters an object. ``nextKey(of:)`` then returns its keys. The members are not passed to a closure, because the
    /// variables that it captured would be copied at the end instead of moved.
    ///
    /// - Precondition: The next value is an object.
    package mutating func beginObject() throws(JSONSyntaxError) -> OpenObject {
        precondition(isObject, "only an object has members")
        try countValue()
        try enter()
        return OpenObject()
    }

    /// Reads the key of the next member, whose value the caller must consume. Nil at the end of the object, which is
    /// then left.
    package mutating func nextKey(of object: inout OpenObject) throws(JSONSyntaxError) -> QuotedText? {
        if object.isAtStart {
            object.isAtStart = false
            if closes(UInt8(ascii: "}")) { return nil }
        } else if try endsAfterElement(closing: UInt8(ascii: "}")) {
            return nil
        }
        return try memberKey(&object.keys)
    }

    /// Whether the next value is a list.
    package var isList: Bool { peek() == UInt8(ascii: "[") }

    /// A list that is being read.
    package struct OpenList {
        fileprivate var isAtStart = true
    }

    /// Enters a list, which ``hasElement(in:)`` reads.
    ///
    /// - Precondition: The next value is a list.
    package mutating func beginList() throws(JSONSyntaxError) -> OpenList {
        precondition(isList, "only a list has elements")
        try countValue()
        try enter()
        return OpenList()
    }

    /// Advances to the next element, which the caller must consume. False at the end of the list, which is then left.
    package mutating func hasElement(in list: inout OpenList) throws(JSONSyntaxError) -> Bool {
        guard list.isAtStart else { return try !endsAfterElement(closing: UInt8(ascii: "]")) }
        list.isAtStart = false
        return !closes(UInt8(ascii: "]"))
    }
}
