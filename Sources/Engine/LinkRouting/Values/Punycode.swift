/// Punycode (RFC 3492), the ASCII encoding of international host labels; without the prefix `xn--`.
enum Punycode {
    /// Returns nil when a value exceeds 32 bits.
    static func encode(_ input: [UInt32]) -> String? {
        var output = input.filter { $0 < 0x80 }.map { UInt8(truncatingIfNeeded: $0) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (n, delta, bias, handled) = (UInt32(128), UInt32(0), UInt32(72), basic)
        while handled < input.count {
            guard let next = input.filter({ $0 >= n }).min() else { return nil }
            let (steps, tooMany) = (next - n).multipliedReportingOverflow(by: UInt32(handled + 1))
            let (sum, overflows) = delta.addingReportingOverflow(steps)
            guard !tooMany, !overflows else { return nil }
            (delta, n) = (sum, next)
            for scalar in input {
                if scalar < n {
                    guard delta < .max else { return nil }
                    delta += 1
                }
                guard scalar == n else { continue }
                var q = delta
                var k = base
                while true {
                    let t = threshold(k, bias)
                    if q < t { break }
                    output.append(digit(t + (q - t) % (base - t)))
                    q = (q - t) / (base - t)
                    k += base
                }
                output.append(digit(q))
                bias = adapt(delta, UInt32(handled + 1), isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            guard delta < .max else { return nil }
            delta += 1
            n += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns nil when the text is not Punycode of Unicode scalars. ASCII capitals are kept.
    static func decode(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let delimiter = bytes.lastIndex(of: UInt8(ascii: "-"))
        var output: [UInt32] = bytes[..<(delimiter ?? 0)].map(UInt32.init)
        guard output.allSatisfy({ $0 < 0x80 }) else { return nil }
        var (n, i, bias) = (UInt32(128), UInt32(0), UInt32(72))
        var index = delimiter.map { $0 + 1 } ?? 0
        while index < bytes.count {
            let old = i
            var (weight, k) = (UInt32(1), base)
            while true {
                guard index < bytes.count, let digit = value(bytes[index]) else { return nil }
                index += 1
                let (product, overflows) = digit.multipliedReportingOverflow(by: weight)
                let (sum, overflowsToo) = i.addingReportingOverflow(product)
                guard !overflows, !overflowsToo else { return nil }
                i = sum
                let t = threshold(k, bias)
                if digit < t { break }
                let (next, overflowsAlso) = weight.multipliedReportingOverflow(by: base - t)
                guard !overflowsAlso else { return nil }
                weight = next
                k += base
            }
            let count = UInt32(output.count + 1)
            bias = adapt(i - old, count, isFirst: old == 0)
            let (next, overflows) = n.addingReportingOverflow(i / count)
            guard !overflows else { return nil }
            n = next
            i %= count
            output.insert(n, at: Int(i))
            i += 1
        }
        var text = String.UnicodeScalarView()
        for value in output {
            guard let scalar = Unicode.Scalar(value) else { return nil }
            text.append(scalar)
        }
        return String(text)
    }

    private static let base: UInt32 = 36

    private static func threshold(_ k: UInt32, _ bias: UInt32) -> UInt32 {
        k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias
    }

    private static func adapt(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k: UInt32 = 0
        while delta > 455 {
            delta /= 35
            k += base
        }
        return k + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 97 : value - 26 + 48)
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }
}
