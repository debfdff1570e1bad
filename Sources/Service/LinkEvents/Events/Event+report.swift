import Crypto
package import LinkRouting

import struct Foundation.Data

extension Event {
    /// Returns the hash that identifies a reported event: of the tenant, the install and the id that the app chose. The
    /// log keeps it longer than the event, and cannot compute the install from it.
    package static func reportHash(tenant: TenantID, install: String, clientEventID: String) -> Bytes16 {
        var hash = SHA256()
        for text in [tenant.rawValue, install, clientEventID] {
            // With its length, so that the ends of the texts count.
            withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Data(text.utf8))
        }
        guard let bytes = Bytes16(Array(hash.finalize().prefix(16))) else {
            preconditionFailure("a SHA-256 has 32 bytes")
        }
        return bytes
    }
}
