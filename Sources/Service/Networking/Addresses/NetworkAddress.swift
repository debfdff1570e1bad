import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable {
    // Not one `UInt128`: its alignment makes Swift allocate each object that contains it with `posix_memalign`, which takes
    // several times as long as `malloc`.
    private let high: UInt64
    private let low: UInt64

    /// All 128 bits. An IPv4 address is stored as IPv4-mapped, `::ffff:192.0.2.1`. Each address thus has one value, and
    /// comparing and masking need no heap allocation.
    package var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

    private static let mapped: UInt128 = 0xFFFF

    package init(bits: UInt128) {
        high = UInt64(truncatingIfNeeded: bits >> 64)
        low = UInt64(truncatingIfNeeded: bits)
    }

    /// An IPv4 address with its first byte in the most significant bits.
    package init(four: UInt32) { self.init(bits: Self.mapped << 32 | UInt128(four)) }

    /// Parses what `inet_pton` accepts, and ignores an IPv6 zone (`%eth0`). Returns nil for other text.
    package init?(_ text: some StringProtocol) {
        var four: UInt32 = 0
        if inet_pton(AF_INET, String(text), &four) == 1 {
            self.init(four: UInt32(bigEndian: four))
            return
        }
        var six: UInt128 = 0
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 else { return nil }
        self.init(bits: UInt128(bigEndian: six))
    }

    /// Takes 4 or 16 bytes in network order; nil for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let value = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.init(bits: bytes.count == 4 ? Self.mapped << 32 | value : value)
    }

    /// Whether this is an IPv4 address, IPv4-mapped or not.
    package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The 4 or 16 bytes in network order. An IPv4-mapped address has 4.
    package var bytes: [UInt8] {
        (0..<(isIPv4 ? 4 : 16)).reversed().map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    }

    /// The textual form: dotted IPv4, or the shortest IPv6 form of RFC 5952.
    package var text: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else {
            preconditionFailure("4 or 16 bytes are an address, and the text has room for every one")
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns all addresses of a host, in the system's order. An address literal yields itself. Empty if the host has
    /// none.
    package static func lookUp(_ host: String) async -> [NetworkAddress] {
        // The system's lookup blocks its thread.
        let found = try? await NIOThreadPool.singleton.runIfActive { blockingLookUp(host) }
        return found ?? []
    }

    private static func blockingLookUp(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let info = entry.pointee
            if getnameinfo(info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0,
                let address = NetworkAddress(
                    String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                )
            {
                found.append(address)
            }
            next = info.ai_next
        }
        return found
    }
}
