import Crypto
package import LinkRouting

import struct Foundation.Data

extension Event {
    /// Returns the hash that identifies a reported event: of the tenant, the install and the id that the app chose. The
    /// log keeps it longer than the event, and cannot compute the install from it.
    package static func reportHash(tenant: TenantID, install: String, clientEventID: String) -> Bytes16 {
        hash(of: [tenant.rawValue, install, clientEventID])
    }

    /// Returns the hash that identifies the install that a click led to. The install of a report is not empty.
    package static func reportHash(tenant: TenantID, click: RecordedID) -> Bytes16 {
        hash(of: [tenant.rawValue, "", click.description])
    }

    /// Returns the hash that identifies a link that was pasted into an install.
    package static func reportHash(tenant: TenantID, install: String, pasted link: String) -> Bytes16 {
        hash(of: [tenant.rawValue, "", install, link])
    }

    private static func hash(of texts: [String]) -> Bytes16 {
        var hash = SHA256()
        for text in texts {
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
