package import LinkRouting

/// The id of an event or of a request, in the log.
///
/// Ids that Fingerpost makes are UUIDs, which are 16 bytes until they are written out. An id that a caller sends may be
/// any text.
package struct RecordedID: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringInterpolation {
    private let content: Content

    private enum Content: Sendable, Hashable {
        case uuid(Bytes16)
        /// Never the canonical form of a UUID.
        case text(String)
    }

    package init(uuid: Bytes16) { content = .uuid(uuid) }
    package init(_ text: String) { content = Bytes16(text, .uuid).map(Content.uuid) ?? .text(text) }
    package init(stringLiteral text: String) { self.init(text) }

    /// The bytes of a UUIDv7, and the time in them; nil for any other id.
    package var timed: (bytes: Bytes16, time: Timestamp)? {
        guard case .uuid(let bytes) = content, bytes[6] >> 4 == 7 else { return nil }
        return (bytes, Timestamp(milliseconds: bytes.prefix(6).reduce(0) { $0 << 8 | Int64($1) }))
    }

    package var description: String {
        switch content {
        case .uuid(let bytes): bytes.text(.uuid)
        case .text(let text): text
        }
    }

    /// Writes the id as the value of a key of JSON. A UUID needs no `String`.
    package func write(to writer: inout JSONWriter, key: StaticString) {
        switch content {
        case .uuid(let bytes): bytes.write(.uuid, to: &writer, key: key)
        case .text(let text): writer.member(key, text)
        }
    }
}

extension RecordedID: EventFieldValue {
    static var storage: EventColumn.Storage { .bytes }
    static var form: ExportForm { .uuid }

    var value: EventValue {
        switch content {
        case .uuid(let bytes): .bytes(bytes)
        case .text(let text): .text(text)
        }
    }

    init?(_ value: EventValue) {
        switch value {
        case .bytes(let bytes): self.init(uuid: bytes)
        case .text(let text): self.init(text)
        case .null, .integer: return nil
        }
    }

    var byteCount: Int {
        switch content {
        case .uuid: 0
        case .text(let text): text.utf8.count
        }
    }
}
