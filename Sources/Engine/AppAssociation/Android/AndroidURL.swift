/// A URL split into components as Android does it: components are decoded, and an absent one differs from an empty one.
///
/// Source: `android.net.Uri` and `UriRelativeFilter.matchQuery`.
struct AndroidURL {
    let url: DeviceURL
    /// The decoded path in UTF-16.
    let path: [UInt16]
    /// The decoded query, split at `&`, or at `;` if splitting at `&` gives one piece; nil for a URL without a query.
    let pairs: [[UInt16]]?
    /// The decoded fragment; nil for a URL without a `#`.
    let fragment: [UInt16]?

    init(_ text: String) throws(DeviceURL.Problem) {
        url = try DeviceURL(text)
        path = Self.decoded(url.path)
        let parts = text.utf8.split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        fragment = parts.count > 1 ? Self.decoded(url.fragment) : nil
        pairs = parts[0].contains(UInt8(ascii: "?")) ? Self.pairs(Self.decoded(url.query)) : nil
    }

    /// Splits a query like Java's `split`, which drops empty pieces at the end.
    static func pairs(_ query: [UInt16]) -> [[UInt16]] {
        func split(at separator: Unicode.Scalar) -> [[UInt16]] {
            guard query.contains(UInt16(separator.value)) else { return [query] }
            var pieces = query.split(separator: UInt16(separator.value), omittingEmptySubsequences: false).map(
                Array.init
            )
            while pieces.last?.isEmpty == true { pieces.removeLast() }
            return pieces
        }
        let pairs = split(at: "&")
        return pairs.count == 1 ? split(at: ";") : pairs
    }

    /// Percent-decodes `text`. Invalid UTF-8 becomes U+FFFD.
    static func decoded(_ text: some Collection<UInt8>) -> [UInt16] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(ByteSet.hexDigits.contains) {
                bytes.append(digits.reduce(0) { $0 << 4 | ($1 & 15 + ($1 >> 6) * 9) })
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return Array(String(decoding: bytes, as: UTF8.self).utf16)
    }
}
