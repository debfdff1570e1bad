/// The id of a caller's install in the events of one tenant: the first 16 bytes of the HMAC-SHA256 of its `stickyKey`.
package struct InstallID: Sendable, Hashable, CustomStringConvertible {
    package let bytes: Bytes16

    package init(_ bytes: Bytes16) { self.bytes = bytes }

    /// Nil unless the text is 32 lower-case hexadecimal digits.
    package init?(_ text: String) {
        guard let bytes = Bytes16(text, .digits) else { return nil }
        self.bytes = bytes
    }

    package var description: String { bytes.text(.digits) }
}

extension InstallID: EventFieldValue {
    static var storage: EventColumn.Storage { .bytes }
    static var form: ExportForm { .digits }

    var value: EventValue { .bytes(bytes) }

    init?(_ value: EventValue) {
        guard case .bytes(let bytes) = value else { return nil }
        self.bytes = bytes
    }
}
