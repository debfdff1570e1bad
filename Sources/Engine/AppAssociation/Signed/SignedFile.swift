/// The CMS (PKCS #7) `SignedData` envelope in which sites of the time of iOS 8 serve `apple-app-site-association`.
///
/// Only the content is read. The signature is not verified, because that needs the certificates that a device trusts.
/// Source: RFC 5652, sections 3 and 5.
public enum SignedFile {
    /// The content type `id-signedData`, 1.2.840.113549.1.7.2, without tag and length.
    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// The maximum nesting of the pieces of an octet string.
    private static let maximumDepth = 4

    /// Whether the bytes begin like an envelope: a SEQUENCE of a long or an indefinite length. JSON cannot begin so.
    public static func isEnvelope(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first == BERElement.sequence && bytes.dropFirst().first.map { $0 >= 0x80 } == true
    }

    /// Returns the content of an envelope in DER or BER; nil if the bytes are not an envelope with its content.
    public static func content(of bytes: [UInt8]) -> [UInt8]? { try? read(bytes) }

    private static func read(_ bytes: [UInt8]) throws(BERReader.Malformed) -> [UInt8] {
        var file = BERReader(bytes[...])
        var contentInfo = BERReader(try file.next(BERElement.sequence).contents)
        guard try contentInfo.next(BERElement.objectIdentifier).contents.elementsEqual(signedData) else {
            throw BERReader.Malformed()
        }
        var wrapped = BERReader(try contentInfo.next(BERElement.explicitZero).contents)
        var signedData = BERReader(try wrapped.next(BERElement.sequence).contents)
        // The version and the set of digest algorithms.
        _ = try signedData.next()
        _ = try signedData.next()
        var encapsulated = BERReader(try signedData.next(BERElement.sequence).contents)
        _ = try encapsulated.next(BERElement.objectIdentifier)
        var content = BERReader(try encapsulated.next(BERElement.explicitZero).contents)
        var octets: [UInt8] = []
        try append(try content.next(), to: &octets, depth: 0)
        return octets
    }

    /// Appends an octet string, which BER allows to be in pieces.
    private static func append(
        _ element: BERElement,
        to octets: inout [UInt8],
        depth: Int
    ) throws(BERReader.Malformed) {
        switch element.tag {
        case BERElement.octetString: octets += element.contents
        case BERElement.constructedOctetString where depth < maximumDepth:
            var pieces = BERReader(element.contents)
            while !pieces.isAtEnd { try append(try pieces.next(), to: &octets, depth: depth + 1) }
        default: throw BERReader.Malformed()
        }
    }
}
