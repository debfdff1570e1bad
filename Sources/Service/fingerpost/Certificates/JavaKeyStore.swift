/// The certificates of a keystore in Java's own format (JKS). They are not encrypted there, in contrast to the keys.
struct JavaKeyStore {
    /// The first certificate of each entry in DER, with the alias of the entry.
    let certificates: [(der: [UInt8], alias: String)]

    private static let magic: [UInt8] = [0xFE, 0xED, 0xFE, 0xED]
    private static let maximumEntries = 1_000
    private static let maximumCertificates = 100

    /// Whether the bytes begin like such a keystore.
    static func isKeyStore(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    init(_ bytes: [UInt8]) throws(LengthPrefixedReader.Malformed) {
        var reader = LengthPrefixedReader(bytes.dropFirst(Self.magic.count), .bigEndian)
        let version = try reader.number(UInt32.self)
        let count = try reader.number(UInt32.self)
        guard (1...2).contains(version), count <= Self.maximumEntries else { throw LengthPrefixedReader.Malformed() }
        var certificates: [(der: [UInt8], alias: String)] = []
        for _ in 0..<count {
            let kind = try reader.number(UInt32.self)
            let alias = String(decoding: try reader.field(UInt16.self), as: UTF8.self)
            // The time of creation.
            _ = try reader.number(UInt64.self)
            var chain: UInt32 = 1
            switch kind {
            case 1:
                _ = try reader.field(UInt32.self)
                chain = try reader.number(UInt32.self)
            case 2: break
            default: throw LengthPrefixedReader.Malformed()
            }
            guard chain <= Self.maximumCertificates else { throw LengthPrefixedReader.Malformed() }
            for index in 0..<chain {
                if version == 2 { _ = try reader.field(UInt16.self) }
                let der = try reader.field(UInt32.self)
                if index == 0 { certificates.append((Array(der), alias)) }
            }
        }
        self.certificates = certificates
    }
}
