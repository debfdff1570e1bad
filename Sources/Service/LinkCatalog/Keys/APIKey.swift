import Crypto
package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A key of the admin API: `fp_<environment>_<id>_<secret><check>`. Only the SHA-256 of the secret is stored.
///
/// The id has 12 characters, the secret 43 (256 random bits), and the check 6 (CRC-32, so that a typo is detected
/// without a lookup).
package struct APIKey: Sendable, Hashable {
    package let id: KeyID
    package let environment: EnvironmentID
    private let secret: String

    /// The full token. It is shown only once.
    package var token: String {
        let body = "fp_\(environment)_\(id)_\(secret)"
        return body + Self.check(body)
    }

    /// SHA-256 of the secret, for storage.
    package var secretHash: Data { Data(SHA256.hash(data: Data(secret.utf8))) }

    package static let randomBytes = 41

    /// Makes a key from at least ``randomBytes`` random bytes; nil for fewer.
    package init?(environment: EnvironmentID, random: Data) {
        guard random.count >= Self.randomBytes else { return nil }
        self.environment = environment
        id = KeyID(rawValue: String(random.prefix(9).base64URL.map { $0 == "-" ? "A" : $0 == "_" ? "B" : $0 }))
        secret = random.dropFirst(9).prefix(32).base64URL
    }

    /// What every token begins with, and no id.
    package static let prefix = "fp_"

    /// Parses a token; nil when its form or checksum is wrong.
    package init?(token: String) {
        guard token.utf8.count <= 160, token.hasPrefix("fp_") else { return nil }
        let body = token.dropLast(Self.checkLength)
        guard body.utf8.count > 12 + 43 + 5, Self.check(String(body)) == token.suffix(Self.checkLength) else {
            return nil
        }
        let secret = body.suffix(43)
        let rest = body.dropLast(44)
        let id = rest.suffix(12)
        let name = rest.dropLast(13).dropFirst(3)
        guard let environment = EnvironmentID(name), body == "fp_\(name)_\(id)_\(secret)" else { return nil }
        self.environment = environment
        self.id = KeyID(rawValue: String(id))
        self.secret = String(secret)
    }

    /// Whether the hash is the hash of the key's secret. Compares in constant time.
    package func matches(_ hash: Data) -> Bool {
        let own = Array(secretHash)
        let other = Array(hash)
        guard own.count == other.count else { return false }
        return zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func check(_ text: String) -> String {
        var crc: UInt32 = .max
        for byte in text.utf8 {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        var value = ~crc
        var digits: [UInt8] = []
        for _ in 0..<checkLength {
            digits.append(checkDigits[Int(value % 62)])
            value /= 62
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// 62⁶ is more than 2³², so that distinct checksums have distinct spellings.
    private static let checkLength = 6
    private static let checkDigits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
}

extension String {
    /// The text with `fp_…` in place of whole keys, also of damaged ones.
    package var withoutKeys: String {
        contains(APIKey.prefix) ? replacing(/fp_[A-Za-z0-9._\-]{40,}/, with: "fp_…") : self
    }
}
