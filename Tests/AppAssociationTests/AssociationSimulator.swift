import LinkRouting

/// What iOS does with an association file, written from Apple's documentation and recorded runs of `swcutil`, without a
/// look at the generator: which rule of the app's entry matches a URL first.
struct AssociationSimulator {
    enum Decision: Hashable {
        case opens(rule: Int)
        case excluded(rule: Int)
        case noMatch
        case appNotListed
    }

    let file: JSONNode

    init(_ json: [UInt8]) throws {
        file = try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 24))
    }

    /// `url` is an https URL of the file's host.
    func decision(for app: String, _ url: String) -> Decision {
        let details = file["applinks"]?["details"]?.elements ?? []
        guard let entry = details.first(where: { $0["appIDs"]?.elements?.contains(.string(app)) == true }) else {
            return .appNotListed
        }
        let path = Self.path(of: url)
        for (index, rule) in (entry["components"]?.elements ?? []).enumerated() where matches(rule, path) {
            return rule["exclude"]?.bool == true ? .excluded(rule: index) : .opens(rule: index)
        }
        return .noMatch
    }

    private func matches(_ rule: JSONNode, _ path: String) -> Bool {
        guard let pattern = rule["/"]?.text else { return true }
        var text = Array(path.utf8)
        if rule["percentEncoded"]?.bool == false { text = Self.decoded(text) }
        var glob = Array(pattern.utf8)
        if rule["caseSensitive"]?.bool == false {
            text = text.map(Self.folded)
            glob = glob.map(Self.folded)
        }
        return Self.globMatches(Self.characters(Self.normalised(glob)), Self.characters(Self.normalised(text)))
    }

    /// The URL's path as Foundation hands it over: what is not ASCII is percent-encoded.
    private static func path(of url: String) -> String {
        let afterHost = url.dropFirst("https://".count).drop { !"/?#".contains($0) }
        let path = afterHost.prefix { !"?#".contains($0) }
        return path.utf8.map { byte in
            byte < 0x80
                ? String(decoding: [byte], as: UTF8.self)
                : "%" + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static func decoded(_ text: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.count,
                let byte = UInt8(String(decoding: text[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(text[index])
                index += 1
            }
        }
        return decoded
    }

    /// Runs of `/` are one, `**` is `*`; unless it starts or ends with `*`, a path starts and ends with `/`.
    private static func normalised(_ text: [UInt8]) -> [UInt8] {
        guard text.count != 1 else { return text }
        let slash = UInt8(ascii: "/")
        let star = UInt8(ascii: "*")
        var path: [UInt8] = []
        for byte in text where !((byte == slash || byte == star) && path.last == byte) { path.append(byte) }
        if path.first != slash, path.first != star { path.insert(slash, at: 0) }
        if path.last != slash, path.last != star { path.append(slash) }
        return path
    }

    private static func characters(_ text: [UInt8]) -> [Unicode.Scalar] {
        Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    }

    /// `*` is any text, across slashes; `?` is one character.
    private static func globMatches(_ glob: [Unicode.Scalar], _ text: [Unicode.Scalar]) -> Bool {
        var (globIndex, textIndex) = (0, 0)
        var retry: (glob: Int, text: Int)?
        while textIndex < text.count {
            if globIndex < glob.count, glob[globIndex] == "*" {
                retry = (globIndex, textIndex)
                globIndex += 1
            } else if globIndex < glob.count, glob[globIndex] == "?" || glob[globIndex] == text[textIndex] {
                globIndex += 1
                textIndex += 1
            } else if let (star, start) = retry {
                retry = (star, start + 1)
                (globIndex, textIndex) = (star + 1, start + 1)
            } else {
                return false
            }
        }
        return glob[globIndex...].allSatisfy { $0 == "*" }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
