extension DeepLink {
    /// One item of the query: ranges of ``DeepLink/bytes``.
    public struct QueryItem: Sendable, Hashable {
        // Int32 offsets suffice for the maximum length of a link, and a link may have 8,191 items.
        private let start: Int32
        private let end: Int32
        /// Offset of the `=`; negative when there is none.
        private let equals: Int32
        /// Whether the name has a malformed escape, a control character, or invalid UTF-8. No condition can match the
        /// item's name then.
        public let hasInvalidName: Bool
        /// Whether the value has such an error. The item then satisfies the condition `present` only.
        public let hasInvalidValue: Bool
        /// Whether the item contains `%` or `+`.
        let isEncoded: Bool
        /// Whether the name contains `%` or `+`, so that a comparison must decode it.
        let hasEncodedName: Bool

        /// Creates an item of `bytes`.
        ///
        /// - Parameters:
        ///   - equals: Index of the first `=`; nil for none.
        ///   - isEncoded: Whether the item contains `%` or `+`.
        init(_ range: Range<Int>, equals: Int?, isEncoded: Bool, in bytes: [UInt8]) {
            start = Int32(range.lowerBound)
            end = Int32(range.upperBound)
            self.equals = equals.map { Int32($0) } ?? -1
            self.isEncoded = isEncoded
            guard isEncoded else {
                hasEncodedName = false
                hasInvalidName = false
                hasInvalidValue = false
                return
            }
            let name = bytes[range.lowerBound..<(equals ?? range.upperBound)]
            hasEncodedName = name.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
            hasInvalidName = escapeFailure(in: name) != nil
            hasInvalidValue = equals.map { escapeFailure(in: bytes[($0 + 1)..<range.upperBound]) != nil } ?? false
        }

        public var rawName: Range<Int> { Int(start)..<Int(equals < 0 ? end : equals) }
        /// The value before decoding; nil when there is no `=`.
        public var rawValue: Range<Int>? { equals < 0 ? nil : Int(equals + 1)..<Int(end) }
        /// The whole item for forwarding, without the surrounding `&`.
        public var raw: Range<Int> { Int(start)..<Int(end) }
    }

    /// Returns the decoded name; nil when it is invalid.
    public func name(of item: QueryItem, plus: PlusSign) -> String? {
        item.hasInvalidName ? nil : decoded(item.rawName, plus)
    }

    /// Returns the decoded value; the empty string when there is no `=`, nil when it is invalid.
    public func value(of item: QueryItem, plus: PlusSign) -> String? {
        guard !item.hasInvalidValue else { return nil }
        guard let range = item.rawValue else { return "" }
        return decoded(range, plus)
    }

    /// Whether the item's decoded name has these UTF-8 bytes.
    public func matchesName(_ item: QueryItem, _ name: some Sequence<UInt8>, plus: PlusSign) -> Bool {
        !item.hasInvalidName && Array(name).withUnsafeBufferPointer { isName(of: item, $0, plus) }
    }

    /// Whether the item has this name, decoded.
    func isName(of item: QueryItem, _ name: String, _ plus: PlusSign) -> Bool {
        guard !item.hasInvalidName, item.rawName.count >= name.utf8.count else { return false }
        return name.withBytes { isName(of: item, $0, plus) }
    }

    /// Whether the item's decoded name, which is valid, has these bytes.
    func isName(of item: QueryItem, _ name: UnsafeBufferPointer<UInt8>, _ plus: PlusSign) -> Bool {
        guard !item.hasEncodedName else { return decodedBytes(item.rawName, plus).elementsEqual(name) }
        return bytes.withUnsafeBufferPointer { UnsafeBufferPointer(rebasing: $0[item.rawName]).hasBytes(of: name) }
    }

    /// Returns the value like `value(of:plus:)`, as UTF-8. A value without escapes is a slice of `bytes`.
    func valueBytes(of item: QueryItem, plus: PlusSign) -> ArraySlice<UInt8>? {
        guard !item.hasInvalidValue else { return nil }
        guard let range = item.rawValue else { return [] }
        return item.isEncoded ? decodedBytes(range, plus)[...] : bytes[range]
    }
}
