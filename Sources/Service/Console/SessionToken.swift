import Crypto
import Foundation
import LinkCatalog

/// The secret of a session, which only a browser has. It opens the key with which a person has signed in.
struct SessionToken: Sendable {
    static let randomBytes = 32

    private let secret: Data

    /// Nil for another number of random bytes than ``randomBytes``.
    init?(random: Data) {
        guard random.count == Self.randomBytes else { return nil }
        secret = random
    }

    /// Reads 64 hexadecimal digits.
    init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 2 * Self.randomBytes else { return nil }
        var bytes = Data()
        for pair in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[pair...(pair + 1)], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        secret = bytes
    }

    var text: String { Self.digits(secret) }

    /// What the store has of it.
    var hash: Data { Data(SHA256.hash(data: secret)) }

    /// The text that every form of the session has, and that no other page can read.
    var formToken: String {
        Self.digits(Data(HMAC<SHA256>.authenticationCode(for: Data("form".utf8), using: SymmetricKey(data: secret))))
    }

    /// Encrypts a key so that only this token opens it.
    func seal(_ key: APIKey) throws -> Data {
        guard let sealed = try AES.GCM.seal(Data(key.token.utf8), using: sealingKey).combined else {
            preconditionFailure("a nonce of the standard length is combined")
        }
        return sealed
    }

    /// Returns the key; nil if it was sealed with another token.
    func open(_ sealed: Data) -> APIKey? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed), let text = try? AES.GCM.open(box, using: sealingKey)
        else { return nil }
        return APIKey(token: String(decoding: text, as: UTF8.self))
    }

    private var sealingKey: SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret),
            info: Data("key of a session".utf8),
            outputByteCount: 32
        )
    }

    private static func digits(_ bytes: Data) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
