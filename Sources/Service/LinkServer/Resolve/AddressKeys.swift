import Crypto
package import LinkRouting
import Networking
import Synchronization

package import struct Foundation.Data

/// A random key for each UTC day, so that keyed addresses of different days cannot be joined. A key is kept in memory
/// only and is gone when the day or the process ends, unless nodes share it.
package final class AddressKeys: Sendable {
    private let current = Mutex<(day: CivilDay, key: Data)?>(nil)
    /// Those of today and tomorrow.
    private let shared = Mutex<[CivilDay: Data]>([:])
    private let random: @Sendable (Int) -> Data

    package init(random: @escaping @Sendable (Int) -> Data) { self.random = random }

    /// Returns the 32-byte key of `day`; the key of any other day is discarded.
    package func key(for day: CivilDay) -> Data {
        let key = shared.withLock { keys in
            if keys.contains(where: { $0.key < day }) { keys = keys.filter { $0.key >= day } }
            return keys[day]
        }
        if let key { return key }
        return current.withLock { current in
            if let current, current.day == day { return current.key }
            let key = random(32)
            current = (day, key)
            return key
        }
    }

    /// Replaces the keys that all nodes use. A day without one has this process's own.
    package func share(_ keys: [CivilDay: Data]) { shared.withLock { $0 = keys } }

    /// Returns a sticky key for the clicks of a visitor on one day. Nothing else follows from it, and nobody may record it:
    /// who knows the key of the day could find the address.
    func stickyKey(of address: NetworkAddress, _ userAgent: String?, on day: CivilDay) -> String {
        // The zero separates the code from that of a recorded address.
        let visitor = address.bytes + [0] + Array((userAgent ?? "").utf8)
        let code = HMAC<SHA256>.authenticationCode(for: visitor, using: SymmetricKey(data: key(for: day)))
        return Base64URL.text(of: code.prefix(16))
    }
}
