import StubMatching

/// The name of a persistent stub's file.
enum MappingName {
    static func file(of stub: StubMapping) -> String {
        let base = slug(stub.name ?? stub.request.url.source?.text ?? "")
        return "\(base.isEmpty ? "mapping" : base)-\(stub.id).json"
    }

    /// Lower-case letters, digits and hyphens; at most 100 bytes.
    private static func slug(_ text: String) -> String {
        var slug: [UInt8] = []
        for byte in text.utf8.prefix(200) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                slug.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): slug.append(byte | 0x20)
            default: if slug.last != UInt8(ascii: "-"), !slug.isEmpty { slug.append(UInt8(ascii: "-")) }
            }
        }
        while slug.last == UInt8(ascii: "-") { slug.removeLast() }
        return String(decoding: slug.prefix(100), as: UTF8.self)
    }
}
