/// RFC 3492, for the labels of international hosts.
enum Punycode {
    /// The A-label of one lower-case label, or the label itself when it is ASCII; nil when it would be too long.
    static func aLabel(_ label: String) -> String? {
        guard !label.utf8.allSatisfy({ $0 < 0x80 }) else { return label }
        guard let encoded = encode(label.unicodeScalars.map(\.value)) else { return nil }
        let text = "xn--" + encoded
        return text.utf8.count <= 63 ? text : nil
    }

    /// The Unicode form of one label; nil when an `xn--` label is not Punycode.
    static func unicodeLabel(_ label: String) -> String? {
        guard label.hasPrefix("xn--") else { return label }
        return decode(String(label.dropFirst(4)))
    }

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

extension HostName {
    /// Both forms of a host that a tenant owns, or nil when it is not one, or would need a UTS #46 mapping beyond lower case.
    static func forms(of host: String) -> (ascii: String, unicode: String)? {
        guard let link = try? Link.parse("https://\(host)"), let lookup = link.host, link.port == nil,
            link.rawPath.isEmpty,
            link.rawQuery == nil, link.rawFragment == nil, !lookup.hasPrefix("[")
        else { return nil }
        var ascii: [String] = []
        var unicode: [String] = []
        for label in lookup.split(separator: ".") {
            guard let unicodeLabel = Punycode.unicodeLabel(String(label)), let aLabel = Punycode.aLabel(unicodeLabel),
                !label.hasPrefix("xn--") || aLabel == label,
                unicodeLabel.unicodeScalars.allSatisfy({ !$0.properties.changesWhenLowercased && isStable($0) })
            else { return nil }
            ascii.append(aLabel)
            unicode.append(unicodeLabel)
        }
        return (ascii.joined(separator: "."), unicode.joined(separator: "."))
    }

    /// Whether compatibility mapping leaves the scalar alone, as far as the standard library can tell.
    private static func isStable(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.changesWhenNFKCCaseFolded || scalar == "ß" || scalar == "ς"
    }
}
