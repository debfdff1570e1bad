/// What a device makes of a path before it compares, both of a URL's and of a pattern.
///
/// Apple documents no normalisation. These steps agree with every recorded run of `swcutil`: the slash at the beginning of
/// a pattern may be missing, slashes at the end count for nothing, `/x/*` takes `/x`.
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
