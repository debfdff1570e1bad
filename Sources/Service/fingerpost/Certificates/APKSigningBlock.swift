/// The block of an Android package that contains its signatures of scheme v2 and newer. Only the certificates are read;
/// the signatures are not verified.
///
/// Source: Android Open Source Project, "APK Signature Scheme v2" and "v3".
struct APKSigningBlock {
    /// The signing certificates in DER, each with the version of its scheme, such as `v3`.
    let certificates: [(der: [UInt8], scheme: String)]

    enum Failure: Error {
        /// The file does not end like a ZIP archive.
        case notAnArchive
        /// The archive has no such block: it is an app bundle, or has at most a JAR signature (v1).
        case noBlock
        case malformed
    }

    private static let schemes: KeyValuePairs<UInt32, String> = [
        0x1B93_AD61: "v3.1", 0xF053_68C0: "v3", 0x7109_871A: "v2",
    ]
    private static let magic = Array("APK Sig Block 42".utf8)
    /// The size of the fields around the pairs of the block: its size before and after them, and the magic bytes.
    private static let frame = 8 + 8 + 16
    private static let maximumBlock = 64 << 20
    private static let maximumSigners = 10
    private static let maximumCertificates = 100
    private static let maximumPairs = 1_000

    /// - Parameters:
    ///   - size: The size of the file.
    ///   - read: Returns a part of the file.
    init(size: Int, read: (_ offset: Int, _ count: Int) throws -> [UInt8]) throws {
        let directory = try Self.centralDirectory(size, read)
        guard directory >= Self.frame else { throw Failure.noBlock }
        let end = try read(directory - 24, 24)
        guard end.suffix(16).elementsEqual(Self.magic) else { throw Failure.noBlock }
        var reader = LengthPrefixedReader(end[...], .littleEndian)
        // The size does not count its own first copy.
        guard let counted = Int(exactly: try reader.number(UInt64.self)),
            (24...min(Self.maximumBlock, directory - 8)).contains(counted)
        else { throw Failure.malformed }
        let block = try read(directory - counted - 8, counted + 8)
        do {
            certificates = try Self.certificates(block, counted)
        } catch is LengthPrefixedReader.Malformed {
            throw Failure.malformed
        }
        guard !certificates.isEmpty else { throw Failure.noBlock }
    }

    /// Returns the offset of the ZIP archive's central directory. The record at the end of the file contains it. A comment
    /// of at most 65,535 bytes may follow the record.
    private static func centralDirectory(
        _ size: Int,
        _ read: (_ offset: Int, _ count: Int) throws -> [UInt8]
    ) throws -> Int {
        let record = 22
        let tail = try read(max(0, size - record - 0xFFFF), min(size, record + 0xFFFF))
        guard tail.count >= record else { throw Failure.notAnArchive }
        for start in stride(from: tail.count - record, through: 0, by: -1)
        where tail[start...].starts(with: [0x50, 0x4B, 0x05, 0x06]) {
            var reader = LengthPrefixedReader(tail[(start + 16)...], .littleEndian)
            let offset = Int(try reader.number(UInt32.self))
            let comment = Int(try reader.number(UInt16.self))
            guard start + record + comment == tail.count, offset <= size - record - comment else { continue }
            return offset
        }
        throw Failure.notAnArchive
    }

    private static func certificates(
        _ block: [UInt8],
        _ counted: Int
    ) throws -> [(der: [UInt8], scheme: String)] {
        var reader = LengthPrefixedReader(block[...], .littleEndian)
        guard try reader.number(UInt64.self) == UInt64(counted) else { throw Failure.malformed }
        var pairs = LengthPrefixedReader(try reader.bytes(counted - 24), .littleEndian)
        var found: [UInt32: [[UInt8]]] = [:]
        var count = 0
        while !pairs.isAtEnd {
            count += 1
            guard count <= maximumPairs else { throw Failure.malformed }
            var pair = LengthPrefixedReader(try pairs.field(UInt64.self), .littleEndian)
            let id = try pair.number(UInt32.self)
            guard schemes.contains(where: { $0.key == id }) else { continue }
            var signers = LengthPrefixedReader(try pair.field(UInt32.self), .littleEndian)
            found[id] = try signers.fields(atMost: maximumSigners).map(signingCertificate)
        }
        return schemes.flatMap { scheme in (found[scheme.key] ?? []).map { ($0, scheme.value) } }
    }

    /// Returns the first certificate of a signer, which is the one that signed; the others are its chain.
    private static func signingCertificate(_ signer: ArraySlice<UInt8>) throws -> [UInt8] {
        var reader = LengthPrefixedReader(signer, .littleEndian)
        var signed = LengthPrefixedReader(try reader.field(UInt32.self), .littleEndian)
        // The digests of the contents.
        _ = try signed.field(UInt32.self)
        var chain = LengthPrefixedReader(try signed.field(UInt32.self), .littleEndian)
        guard let first = try chain.fields(atMost: maximumCertificates).first else { throw Failure.malformed }
        return Array(first)
    }
}
