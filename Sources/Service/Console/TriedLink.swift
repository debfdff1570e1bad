import LinkRouting
import LinkServer
import Mustache

/// The answer to a tried link as stations on a line: the routes in the order of the table, why each does not match, and the one
/// that does.
struct TriedLink: MustacheParent, Sendable {
    private let answer: JSONNode
    private let stations: [Station]
    /// The path of the link, in parts.
    private let path: [Substring]

    private struct Station: MustacheParent {
        let id: String
        let pattern: [PathPart]
        let link: [PathPart]
        let mismatch: String?

        func child(named name: String) -> Any? {
            switch name {
            case "id": id
            case "pattern": pattern
            case "link": link
            case "mismatch": mismatch
            case "isMatch": mismatch == nil
            default: nil
            }
        }
    }

    /// - Parameter table: The table's part of the answer of `POST …/draft/resolve`.
    init(_ link: String, _ answer: JSONNode, _ table: JSONNode?) {
        self.answer = answer
        let path = Self.path(of: link)
        self.path = path
        let matched = answer["route"]?["id"]?.text
        let misses = Dictionary(
            (answer["trace"]?.elements ?? []).compactMap { entry in entry["route"]?.text.map { ($0, entry) } }
        ) { first, _ in first }
        stations = (table?["routes"]?.elements ?? []).compactMap { route in
            guard let id = route["id"]?.text, let pattern = route["pattern"]?.text, id == matched || misses[id] != nil
            else { return nil }
            let miss = id == matched ? nil : misses[id]
            let failing = miss?["at"]?.int.map { Int($0) }
            return Station(
                id: id,
                pattern: PathPart.parts(ofPattern: pattern, failing: failing),
                link: PathPart.parts(ofLink: path, failing: failing),
                mismatch: miss.map(LinkEffect.mismatch)
            )
        }
    }

    /// The segments of a link's path. That of a custom scheme begins with what would be a host.
    private static func path(of link: String) -> [Substring] {
        let path = link.prefix { $0 != "?" && $0 != "#" }
        guard let mark = path.firstRange(of: "://") else { return PathPart.split(String(path)) }
        let isWeb = ["http", "https"].contains(path[..<mark.lowerBound].lowercased())
        let rest = path[mark.upperBound...]
        return PathPart.split(String(isWeb ? rest.drop { $0 != "/" } : rest))
    }

    func child(named name: String) -> Any? {
        switch name {
        case "stations": stations
        case "outcome": answer["outcome"]?.text
        case "effect":
            (answer["outcome"]?.text == "fallback" ? "no route matches; the fallback " : "") + LinkEffect(answer).text
        case "route": answer["route"]?.shown
        case "parameters":
            (answer["parameters"]?.members ?? []).map { member in
                ["name": member.key, "value": member.value.text ?? member.value.json()]
            }
        case "screen": answer["destination"]?["screen"]?.text
        case "reason": answer["reason"]?["message"]?.text
        case "isMatched": answer["outcome"]?.text == "matched"
        case "isTruncated": answer["traceTruncated"]?.bool
        default: nil
        }
    }
}

/// A part of a pattern or of a link's path, between slashes.
struct PathPart: MustacheParent, Sendable {
    private let text: String
    private let isParameter: Bool
    /// Whether the link does not match here.
    private let isFailing: Bool

    static func split(_ path: String) -> [Substring] { path.split(separator: "/") }

    static func parts(ofPattern pattern: String, failing: Int? = nil) -> [PathPart] {
        split(pattern).enumerated().map {
            PathPart(text: String($1), isParameter: $1.contains("{"), isFailing: $0 == failing)
        }
    }

    static func parts(ofLink path: [Substring], failing: Int?) -> [PathPart] {
        path.enumerated().map { PathPart(text: String($1), isParameter: false, isFailing: $0 == failing) }
    }

    func child(named name: String) -> Any? {
        switch name {
        case "text": text
        case "isParameter": isParameter
        case "isFailing": isFailing
        default: nil
        }
    }
}
