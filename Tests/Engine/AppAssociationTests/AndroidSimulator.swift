import Foundation
import LinkRouting

/// Evaluates the dynamic rules of an `assetlinks.json` as Android does. Written from the platform's source,
/// independently of the generator: the URL is decoded, and `*` extends to the first occurrence of the next character.
struct AndroidSimulator {
    /// A version of the platform's translation of patterns.
    enum Version: CaseIterable {
        /// Android 15: a pattern with `?*` becomes an advanced glob, which is greedy and does not backtrack.
        case greedy
        /// Later sources: every pattern with wildcards becomes a simple glob.
        case simple
    }

    enum Decision: Hashable {
        case opens(rule: Int)
        case excluded(rule: Int)
        case noMatch
        /// Without rules the app's manifest decides.
        case manifest
        case appNotListed
    }

    let file: JSONNode
    let version: Version

    /// A pattern that the platform cannot parse.
    struct BrokenPattern: Error {
        let pattern: String
    }

    init(_ json: [UInt8], _ version: Version = .simple) throws {
        self.version = version
        file = try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 24))
    }

    func decision(for package: String, _ url: String) throws -> Decision {
        let statement = file.elements?.first { $0["target"]?["package_name"]?.text == package }
        guard let statement else { return .appNotListed }
        let relation = statement["relation_extensions"]?["delegate_permission/common.handle_all_urls"]
        guard let rules = relation?["dynamic_app_link_components"]?.elements else { return .manifest }
        let (path, query, fragment) = Self.parts(of: url)
        for (index, rule) in rules.enumerated() {
            guard try rule["/"].map({ try matches($0, path) }) ?? true,
                try rule["#"].map({ try matches($0, fragment) }) ?? true
            else {
                continue
            }
            let holds = try (rule["?"]?.members ?? []).allSatisfy { member in
                let text = JSONNode.string("\(member.key)=\(member.value.text ?? "")")
                return try query.contains { try matches(text, $0) }
            }
            guard holds else { continue }
            return rule["exclude"]?.bool == true ? .excluded(rule: index) : .opens(rule: index)
        }
        return .noMatch
    }

    private static func parts(of url: String) -> (path: String, query: [String], fragment: String?) {
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let front = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = front[0].dropFirst("https://".count).drop { $0 != "/" }
        let query = front.count == 2 ? decoded(front[1]) : ""
        var items = query.components(separatedBy: "&")
        if items.count == 1 { items = query.components(separatedBy: ";") }
        return (decoded(path), items, parts.count == 2 ? decoded(parts[1]) : nil)
    }

    /// Replaces an invalid escape by U+FFFD and decodes the rest.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else if let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes += "\u{FFFD}".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func matches(_ pattern: JSONNode, _ text: String?) throws -> Bool {
        guard let pattern = pattern.text, let text else { return false }
        if version == .greedy, pattern.contains("?*") { return try matchesGreedily(pattern, Array(text.utf16)) }
        return matches(Array(pattern.utf16)[...], Array(text.utf16)[...])
    }

    /// Matches each character as often as its modifier allows. `+` is a modifier too.
    private func matchesGreedily(_ pattern: String, _ text: [UInt16]) throws -> Bool {
        var tokens: [(unit: UInt16?, minimum: Int, maximum: Int)] = []
        var previousIsModifier = true
        var previous: Character?
        for character in pattern {
            switch character {
            case "?": tokens.append((nil, 1, 1))
            case "*" where previous == "?": tokens[tokens.count - 1] = (nil, 1, .max)
            case "*": tokens.append((nil, 0, .max))
            case "+":
                guard !previousIsModifier else { throw BrokenPattern(pattern: pattern) }
                tokens[tokens.count - 1].maximum = .max
            default: tokens += Array(String(character).utf16).map { ($0, 1, 1) }
            }
            previousIsModifier = character == "*" || character == "+"
            previous = character
        }
        var place = 0
        for token in tokens {
            var count = 0
            while count < token.maximum, place < text.count, token.unit.map({ $0 == text[place] }) ?? true {
                count += 1
                place += 1
            }
            guard count >= token.minimum else { return false }
        }
        return place == text.count
    }

    private func matches(_ pattern: ArraySlice<UInt16>, _ text: ArraySlice<UInt16>) -> Bool {
        var (pattern, text) = (pattern, text)
        while let first = pattern.popFirst() {
            switch first {
            case 0x2A:
                guard let next = pattern.first else { return true }
                guard let end = text.firstIndex(where: { next == 0x3F || $0 == next }) else { return false }
                text = text[end...]
            case 0x3F:
                guard text.popFirst() != nil else { return false }
            default:
                guard text.popFirst() == first else { return false }
            }
        }
        return text.isEmpty
    }
}
