/// The normalisation that a device applies to paths before it compares them. It applies to URLs and to patterns.
///
/// Apple documents no normalisation. These steps agree with every recorded run of `swcutil`: the leading slash of a
/// pattern is optional, trailing slashes are insignificant, and `/x/*` matches `/x`.
enum DevicePath {
    static func normalised(_ path: some Sequence<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let star = UInt8(ascii: "*")
        let path = Array(path)
        guard path.count != 1 else { return path }
        var normalised: [UInt8] = []
        normalised.reserveCapacity(path.count + 2)
        if let first = path.first, first != star, first != slash { normalised.append(slash) }
        for byte in path where byte != normalised.last || (byte != slash && byte != star) { normalised.append(byte) }
        if normalised.last != star, normalised.last != slash { normalised.append(slash) }
        return normalised
    }

    static func normalised(_ pattern: String) -> String { String(decoding: normalised(pattern.utf8), as: UTF8.self) }
}
