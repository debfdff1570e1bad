/// The hash bucket of a sticky key among 10,000, identical in every engine. Test vectors are in docs/routing-conformance.md.
public enum Bucket {
    public static let count = 10_000

    /// Returns a bucket in 0..<10,000: FNV-1a 64 of the UTF-8 bytes of `salt U+001F stickyKey`, then murmur3's fmix64;
    /// the high 32 bits × 10,000 >> 32.
    public static func of(_ stickyKey: String, salt: String) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var (salt, stickyKey) = (salt, stickyKey)
        salt.withUTF8 { for byte in $0 { add(byte) } }
        add(0x1F)
        stickyKey.withUTF8 { for byte in $0 { add(byte) } }
        hash ^= hash >> 33
        hash = hash &* 0xff51_afd7_ed55_8ccd
        hash ^= hash >> 33
        hash = hash &* 0xc4ce_b9fe_1a85_ec53
        hash ^= hash >> 33
        let scaled = (hash >> 32) * UInt64(count)
        return Int(scaled >> 32)
    }
}
