import Networking

extension NetworkAddress {
    /// The /24 of an IPv4 address or the /48 of an IPv6 address. It identifies the network of a house or company, not a
    /// person.
    var network: String {
        guard isIPv4 else { return NetworkAddress(bits: (bits >> 80) << 80).text + "/48" }
        // Called for each request. A text of up to 15 bytes, and so nearly every one, needs no allocation.
        let digits = [24, 16, 8].reduce(0) { count, shift in
            let number = UInt8(truncatingIfNeeded: bits >> shift)
            return count + (number >= 100 ? 3 : number >= 10 ? 2 : 1)
        }
        return String(unsafeUninitializedCapacity: digits + "...0/24".utf8.count) { text in
            var end = 0
            func write(_ byte: UInt8) {
                text[end] = byte
                end += 1
            }
            for shift in [24, 16, 8] {
                let number = UInt8(truncatingIfNeeded: bits >> shift)
                if number >= 100 { write(UInt8(ascii: "0") + number / 100) }
                if number >= 10 { write(UInt8(ascii: "0") + number / 10 % 10) }
                write(UInt8(ascii: "0") + number % 10)
                write(UInt8(ascii: "."))
            }
            for byte in "0/24".utf8 { write(byte) }
            return end
        }
    }
}
