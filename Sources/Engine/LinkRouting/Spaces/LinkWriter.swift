/// Composes links from decoded parts, to test a router with them and to show them to people.
enum LinkWriter {
    /// Percent-encodes a text. Letters, digits, and characters without a special meaning in any part of a URL stay, and
    /// so does non-ASCII text, for readability.
    static func encoded(_ text: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text {
            if isLetter(byte) || isDigit(byte) || byte >= 0x80 || "-._~!$'()*,".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the link up to its query; `host` is nil for a custom scheme.
    static func beginning(scheme: String, host: String?, firstSegmentIsHost: Bool, _ segments: [[UInt8]], slash: Bool)
        -> String
    {
        let path = segments.map { encoded($0) }.joined(separator: "/")
        let end = slash && !segments.isEmpty ? "/" : ""
        if let host { return "\(scheme)://\(host)/\(path)\(end)" }
        // The first segment becomes the host of a custom scheme, if it is a valid one.
        let isPlain = segments.first?.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") } ?? true
        let isHost = firstSegmentIsHost && isPlain && segments.first?.isEmpty != true
        return "\(scheme)://\(isHost ? "" : "/")\(path)\(end)"
    }
}
