import Foundation
import LinkRouting

/// Evaluates an association file as iOS does: finds the first rule of the app's entry that matches a URL. Written from
/// Apple's documentation and recorded runs of `swcutil`, independently of the generator.
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
        let url = URLParts(url)
        for (index, rule) in (entry["components"]?.elements ?? []).enumerated() where matches(rule, url) {
            return rule["exclude"]?.bool == true ? .excluded(rule: index) : .opens(rule: index)
        }
        return .noMatch
    }

    private func matches(_ rule: JSONNode, _ url: URLParts) -> Bool {
        let path = rule["/"]?.text.map { matches($0, url.path, rule, Self.normalised) } ?? true
        let query = (rule["?"]?.members ?? []).allSatisfy { member in
            let values = url.query.filter { Self.decoded(Array($0.name.utf8)).elementsEqual(member.key.utf8) }.map(
                \.value
            )
            return (values.isEmpty ? [""] : values).allSatisfy { value in
                member.value.text.map { matches($0, value, rule) { $0 } } ?? false
            }
        }
        let fragment = rule["#"]?.text.map { matches($0, url.fragment, rule) { $0 } } ?? true
        return path && query && fragment
    }

    private func matches(
        _ pattern: String,
        _ text: String,
        _ rule: JSONNode,
        _ normalised: ([UInt8]) -> [UInt8]
    ) -> Bool {
        var text = Array(text.utf8)
        if rule["percentEncoded"]?.bool == false { text = Self.decoded(text) }
        let folds = rule["caseSensitive"]?.bool == false
        return expanded(pattern).contains { pattern in
            let glob = Self.characters(normalised(Array(pattern.utf8)))
            let text = Self.characters(normalised(text))
            return Self.globMatches(folds ? glob.map(Self.folded) : glob, folds ? text.map(Self.folded) : text)
        }
    }

    /// The patterns that result from each combination of variable values.
    private func expanded(_ pattern: String) -> [String] {
        for member in file["applinks"]?["substitutionVariables"]?.members ?? [] {
            guard let range = pattern.firstRange(of: "$(\(member.key))") else { continue }
            return (member.value.elements ?? []).compactMap(\.text).flatMap {
                expanded(pattern.replacingCharacters(in: range, with: $0))
            }
        }
        return [pattern]
    }

    /// The parts of a URL as Foundation reports them.
    private struct URLParts {
        let path: String
        var query: [(name: String, value: String)] = []
        var fragment = ""

        init(_ url: String) {
            path = AssociationSimulator.path(of: url)
            let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { fragment = String(parts[1]) }
            let front = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard front.count == 2 else { return }
            query = front[1].split(separator: "&", omittingEmptySubsequences: false).map { item in
                let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(pair[0]), pair.count == 2 ? String(pair[1]) : "")
            }
        }
    }

    /// The URL's path as Foundation reports it: non-ASCII characters are percent-encoded.
    fileprivate static func path(of url: String) -> String {
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

    /// Collapses runs of `/` and `**`. A path starts and ends with `/` unless it starts or ends with `*`.
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

    /// `*` matches any text including slashes; `?` matches one character.
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

    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) | 0x20) : scalar
    }
}
