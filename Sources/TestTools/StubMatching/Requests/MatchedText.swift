package import LinkRouting

/// A text to be compared with patterns. It is parsed as JSON at most once, however many patterns need that.
package final class MatchedText {
    package let text: String
    package let bytes: [UInt8]?
    private var parsed: JSONNode??

    package init(_ text: String, bytes: [UInt8]? = nil) {
        self.text = text
        self.bytes = bytes
    }

    /// Nil if the text is no JSON.
    package var json: JSONNode? {
        if let parsed { return parsed }
        let node = try? JSONReader.parse(text, limits: .stubs, duplicateKeys: .keep)
        parsed = .some(node)
        return node
    }
}

extension JSONReader.Limits {
    /// The limits of bodies, mappings and admin requests. A value takes about 100 bytes.
    package static let stubs = JSONReader.Limits(
        maximumBytes: 64 << 20,
        maximumDepth: 128,
        maximumValues: 2_000_000
    )
}
