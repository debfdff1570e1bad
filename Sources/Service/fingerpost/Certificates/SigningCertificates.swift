import AppAssociation
import Crypto
import Foundation

/// The certificates that sign an Android app, read from an APK, a Java keystore or certificate files.
package struct SigningCertificates {
    package let entries: [Entry]

    package struct Entry {
        /// SHA-256 of the certificate in the form of the settings: 32 upper-case pairs with colons.
        package let fingerprint: String
        /// The location of the certificate, such as `APK Signature Scheme v3` or `alias upload`.
        package let location: String
        /// The name of the published private key; nil if none is known.
        package var publishedPrivateKey: String? { PublishedPrivateKeys.name(of: fingerprint) }

        init(_ der: [UInt8], _ location: String) {
            fingerprint = SHA256.hash(data: der).map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return byte < 16 ? "0\(digits)" : digits
            }.joined(separator: ":")
            self.location = location
        }
    }

    /// The maximum size of files other than APKs, which are read in parts.
    private static let maximumBytes = 16 << 20
    private static let maximumPEM = 100

    /// Reads a file; `-` reads a certificate or keystore from standard input.
    package init(of path: String) throws {
        if path != "-", let apk = try Self.archive(path) {
            entries = apk
            return
        }
        let bytes = try readBytes(path)
        guard bytes.count <= Self.maximumBytes else {
            throw fail(
                "\(path) is larger than any keystore; name an APK, a keystore or a certificate.",
                .unreadableInput
            )
        }
        entries = try Self.entries(bytes, path)
    }

    /// Returns the certificates of an APK; nil if the file is not a ZIP archive.
    private static func archive(_ path: String) throws -> [Entry]? {
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: URL(filePath: path))
        } catch {
            throw fail("\(path) cannot be read: \(unreadableReason(path, error)).", .unreadableInput)
        }
        defer { try? file.close() }
        do {
            guard try file.read(upToCount: 4).map({ $0.elementsEqual([0x50, 0x4B, 0x03, 0x04]) }) == true else {
                return nil
            }
            let size = try Int(exactly: file.seekToEnd()) ?? 0
            let block = try APKSigningBlock(size: size) { offset, count in
                try file.seek(toOffset: UInt64(offset))
                return Array(try file.read(upToCount: count) ?? Data())
            }
            return block.certificates.map { Entry($0.der, "APK Signature Scheme \($0.scheme)") }
        } catch let failure as APKSigningBlock.Failure {
            throw fail("\(path) \(advice(on: failure))", .unreadableInput)
        } catch is LengthPrefixedReader.Malformed {
            throw fail("\(path) \(advice(on: .malformed))", .unreadableInput)
        } catch {
            throw fail("\(path) cannot be read: \(unreadableReason(path, error)).", .unreadableInput)
        }
    }

    private static func advice(on failure: APKSigningBlock.Failure) -> String {
        switch failure {
        case .notAnArchive: "is cut short: it begins like an APK but does not end like one. Copy it again."
        case .malformed: "has a damaged signing block. Build and sign it again."
        case .noBlock:
            "has no signature of scheme v2 or newer. For an app bundle (.aab), take the fingerprint from Play Console, "
                + "'App signing'. For an APK with a JAR signature only, run: keytool -printcert -jarfile FILE"
        }
    }

    private static func entries(_ bytes: [UInt8], _ path: String) throws -> [Entry] {
        if JavaKeyStore.isKeyStore(bytes) {
            guard let store = try? JavaKeyStore(bytes) else {
                throw fail("\(path) is a damaged keystore. Restore it from a backup.", .unreadableInput)
            }
            guard !store.certificates.isEmpty else { throw fail("\(path) is an empty keystore.", .unreadableInput) }
            return store.certificates.map { Entry($0.der, "alias \($0.alias)") }
        }
        switch der(bytes) {
        case .certificate: return [Entry(bytes, "certificate")]
        case .encrypted:
            throw fail(
                "\(path) is an encrypted keystore (PKCS #12). Export its certificate: keytool -exportcert -keystore "
                    + "FILE -alias NAME | fingerpost association fingerprint -",
                .unreadableInput
            )
        case nil: break
        }
        let entries = pem(bytes).map { Entry($0, "certificate") }
        guard !entries.isEmpty else {
            throw fail(
                "\(path) is not an APK, a Java keystore or a certificate in DER or PEM; name the file that signs the app.",
                .unreadableInput
            )
        }
        return entries
    }

    private enum DER {
        case certificate, encrypted
    }

    /// Distinguishes a certificate, which begins with two SEQUENCEs, from a PKCS #12 keystore, which begins with a
    /// SEQUENCE and its version; nil for anything else.
    private static func der(_ bytes: [UInt8]) -> DER? {
        guard bytes.first == 0x30, bytes.count > 6 else { return nil }
        let lengthBytes = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
        guard lengthBytes <= 4, bytes.count > 2 + lengthBytes else { return nil }
        let length =
            lengthBytes == 0 ? Int(bytes[1]) : bytes[2..<(2 + lengthBytes)].reduce(0) { $0 << 8 | Int($1) }
        switch bytes[2 + lengthBytes] {
        case 0x30 where length == bytes.count - 2 - lengthBytes: return .certificate
        case 0x02: return .encrypted
        default: return nil
        }
    }

    /// Returns the certificates of a PEM file in DER.
    private static func pem(_ bytes: [UInt8]) -> [[UInt8]] {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().prefix(maximumPEM).compactMap {
            let body = $0.components(separatedBy: "-----END CERTIFICATE-----")
            guard body.count > 1, let data = Data(base64Encoded: body[0], options: .ignoreUnknownCharacters),
                der(Array(data)) == .certificate
            else { return nil }
            return Array(data)
        }
    }
}
