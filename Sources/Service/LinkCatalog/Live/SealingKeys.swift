import Crypto
import LinkRouting
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The keys of one kind of token, newest first: the first one seals, and all of them open. A token contains JSON, which
/// nobody else can read, make or change (AES-GCM).
package final class SealingKeys: Sendable {
    package static let keyBytes = 32

    private let keys: Mutex<[SymmetricKey]>

    /// Nil without keys, or when a key has another length.
    init?(_ keys: some Collection<Data>) {
        guard let keys = Self.read(keys) else { return nil }
        self.keys = Mutex(keys)
    }

    /// Ignores none, and keys of another length.
    func replace(with keys: some Collection<Data>) {
        guard let keys = Self.read(keys) else { return }
        self.keys.withLock { $0 = keys }
    }

    private static func read(_ keys: some Collection<Data>) -> [SymmetricKey]? {
        guard !keys.isEmpty, keys.allSatisfy({ $0.count == keyBytes }) else { return nil }
        return keys.map { SymmetricKey(data: $0) }
    }

    /// Returns the token: the version byte and the AES-GCM box, in base64url.
    func seal(_ content: [UInt8], version: UInt8) throws -> String {
        let box = try AES.GCM.seal(Data(content), using: keys.withLock { $0[0] }, authenticating: [version])
        guard let sealed = box.combined else { preconditionFailure("a box with a standard nonce has a combined form") }
        return (Data([version]) + sealed).base64URL
    }

    /// Returns the content of a token; nil unless one of the keys sealed it with this version byte.
    func open(_ token: String, version: UInt8, maximumBytes: Int) -> JSONNode? {
        guard token.utf8.count <= maximumBytes, let data = Data(base64URL: token), data.first == version,
            let box = try? AES.GCM.SealedBox(combined: data.dropFirst()),
            let content = keys.withLock({ $0 }).lazy.compactMap({
                try? AES.GCM.open(box, using: $0, authenticating: [version])
            }).first
        else { return nil }
        return try? JSONReader.parse(Array(content), limits: JSONReader.Limits(maximumBytes: maximumBytes))
    }
}

extension Data {
    package var base64URL: String { Base64URL.text(of: self) }

    package init?(base64URL text: String) {
        guard let bytes = Base64URL.bytes(of: text.utf8) else { return nil }
        self.init(bytes)
    }
}
