import Foundation
import LinkRouting
import TestSupport
import Testing
import fingerpost

/// Fingerprints of APKs, Java keystores and certificates, and what other files get instead.
struct SigningCertificatesTests {
    /// A SEQUENCE of a SEQUENCE, as certificates begin; enough for everything that is read of one.
    private static let certificate: [UInt8] = [0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x07]
    private static let other: [UInt8] = [0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x08]
    /// Printed by `sha256sum` for the bytes above.
    private static let fingerprint =
        "D1:67:75:3F:42:14:F6:D1:12:A0:E7:A8:39:30:AC:9B:4E:2D:AA:5B:B0:7B:5B:16:D6:55:FF:4E:80:7B:34:60"

    private func entries(_ bytes: [UInt8], _ name: String = "file") throws -> [SigningCertificates.Entry] {
        try withTemporaryFile(bytes, name) { try SigningCertificates(of: $0).entries }
    }

    private func withTemporaryFile<Result>(
        _ bytes: [UInt8],
        _ name: String,
        _ body: (String) throws -> Result
    ) throws -> Result {
        try inTemporaryDirectory { directory in
            let file = URL(filePath: directory).appending(path: name)
            try Data(bytes).write(to: file)
            return try body(file.path)
        }
    }

    // MARK: Files

    private static func number(_ value: Int, bytes: Int = 4) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func field(_ bytes: [UInt8]) -> [UInt8] { number(bytes.count) + bytes }

    /// A signing block with one signer for each scheme, and the rest of an APK around it.
    private static func apk(_ signers: KeyValuePairs<Int, [UInt8]>, comment: Int = 0) -> [UInt8] {
        var pairs: [UInt8] = []
        for (id, certificate) in signers {
            let signed = field(field([])) + field(field(certificate)) + field([])
            let value = number(id) + field(field(field(signed) + field([]) + field([])))
            pairs += number(value.count, bytes: 8) + value
        }
        // A pair that has nothing to do with signatures, as Google Play adds one.
        pairs += number(8, bytes: 8) + number(0x4272_6577) + [0, 0, 0, 0]
        let size = number(pairs.count + 24, bytes: 8)
        let content: [UInt8] = [0x50, 0x4B, 0x03, 0x04] + Array(repeating: 0, count: 40)
        let block = size + pairs + size + Array("APK Sig Block 42".utf8)
        let end: [UInt8] = [0x50, 0x4B, 0x05, 0x06] + Array(repeating: 0, count: 12)
        return content + block + end + number(content.count + block.count) + number(comment, bytes: 2)
            + Array(repeating: 0x20, count: comment)
    }

    private static let v2 = 0x7109_871A
    private static let v3 = 0xF053_68C0

    private static func keyStore(_ aliases: String...) -> [UInt8] {
        func big(_ value: Int, _ bytes: Int) -> [UInt8] { number(value, bytes: bytes).reversed() }
        func certificate(_ der: [UInt8]) -> [UInt8] {
            let type: [UInt8] = big(5, 2) + Array("X.509".utf8)
            return type + big(der.count, 4) + der
        }
        var bytes: [UInt8] = [0xFE, 0xED, 0xFE, 0xED]
        bytes += big(2, 4)
        bytes += big(aliases.count, 4)
        for alias in aliases {
            bytes += big(1, 4) + big(alias.utf8.count, 2)
            bytes += Array(alias.utf8)
            bytes += big(0, 8)
            bytes += big(3, 4) + [1, 2, 3]
            bytes += big(2, 4)
            bytes += certificate(Self.certificate)
            bytes += certificate(Self.other)
        }
        return bytes + Array(repeating: 9, count: 20)
    }

    // MARK: Readable files

    @Test(arguments: [0, 7, 65_535]) func apkHasTheCertificateOfEachScheme(_ comment: Int) throws {
        let found = try entries(Self.apk([Self.v2: Self.certificate, Self.v3: Self.other], comment: comment))
        #expect(found.map(\.location) == ["APK Signature Scheme v3", "APK Signature Scheme v2"])
        #expect(found.last?.fingerprint == Self.fingerprint)
        #expect(found.first?.fingerprint != Self.fingerprint)
    }

    @Test func keyStoreHasTheFirstCertificateOfEachEntry() throws {
        let found = try entries(Self.keyStore("upload", "test"))
        #expect(found.map(\.location) == ["alias upload", "alias test"])
        #expect(found.map(\.fingerprint) == [Self.fingerprint, Self.fingerprint])
    }

    @Test func certificateIsReadInBothForms() throws {
        #expect(try entries(Self.certificate).map(\.fingerprint) == [Self.fingerprint])
        let pem =
            "Bag Attributes\n-----BEGIN CERTIFICATE-----\n\(Data(Self.certificate).base64EncodedString())\n"
            + "-----END CERTIFICATE-----\n"
        #expect(try entries(Array(pem.utf8)).map(\.fingerprint) == [Self.fingerprint])
    }

    // MARK: Other files

    static let unreadable: [(String, [UInt8], String)] = [
        ("text", Array("hello".utf8), "is not an APK"),
        ("empty", [], "is not an APK"),
        ("bundle", apk([:]), "has no signature of scheme v2"),
        ("cut", Array(apk([v2: certificate]).dropLast(30)), "is cut short"),
        ("PKCS #12", [0x30, 0x06, 0x02, 0x01, 0x03, 0x30, 0x01, 0x00], "is an encrypted keystore"),
        ("key store without entries", keyStore(), "is an empty keystore"),
        ("damaged key store", Array(keyStore("a").prefix(30)), "is a damaged keystore"),
    ]

    @Test(arguments: unreadable.indices) func otherFileIsExplained(_ index: Int) throws {
        let (name, bytes, message) = Self.unreadable[index]
        let failure = #expect(throws: CommandFailure.self, "\(name)") { try entries(bytes) }
        #expect(failure?.lines.first?.contains(message) == true, "\(failure?.lines ?? [])")
        #expect(failure?.status == .unreadableInput)
    }

    /// Lengths are never trusted: each byte of the block is damaged, and the file is cut at each place.
    @Test func damagedBlockIsNeverRead() throws {
        let whole = Self.apk([Self.v2: Self.certificate])
        var generator = SeededGenerator(seed: 7)
        for index in whole.indices {
            var bytes = whole
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
            for file in [bytes, Array(whole.prefix(index))] {
                do {
                    let found = try entries(file)
                    #expect(found.count == 1)
                } catch let failure as CommandFailure {
                    #expect(failure.status == .unreadableInput)
                }
            }
        }
    }

    // MARK: Comparison with the settings

    private static func app(_ fingerprint: String) throws -> RegisteredApp {
        let id = try #require(AppID("android"))
        return RegisteredApp(id: id, product: .android(package: "com.acme", fingerprints: [fingerprint]))
    }

    @Test func certificateIsComparedWithTheApp() throws {
        let apk = Self.apk([Self.v2: Self.certificate, Self.v3: Self.certificate])
        try withTemporaryFile(apk, "acme.apk") { path in
            let certificates = try SigningCertificates(of: path)
            let listed = CertificateReport(certificates, apps: [try Self.app(Self.fingerprint)], table: "acme.yaml")
            #expect(listed.isGood)
            #expect(
                listed.lines == [
                    "\(Self.fingerprint)  APK Signature Scheme v3, APK Signature Scheme v2",
                    "acme.yaml: the app 'android' lists it",
                ]
            )
            let missing = CertificateReport(certificates, apps: [try Self.app("00")], table: "acme.yaml")
            #expect(!missing.isGood && missing.lines.last?.contains("Add it to 'fingerprints'") == true)
            #expect(CertificateReport(certificates, apps: [], table: "").isGood)
        }
    }
}
