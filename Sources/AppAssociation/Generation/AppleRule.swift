import LinkRouting

/// One rule of a generated `apple-app-site-association` file.
struct AppleRule: Hashable {
    var path: Glob
    /// Item names with their patterns, each name once.
    var query: [QueryItem] = []
    var fragment: Glob?
    var isExcluded = false
    var foldsCase = false
    /// The route that it was made from; nil for the fallback's.
    var route: RouteID?

    struct QueryItem: Hashable {
        var name: String
        var value: Glob
    }

    static let everything = AppleRule(path: Glob("/*"))

    var takesEverything: Bool { path == Self.everything.path && query.isEmpty && fragment == nil && !isExcluded }

    /// The table decodes before it compares; an exclusion stays as narrow as it is written.
    private var reading: Glob.Reading { Glob.Reading(foldsCase: foldsCase, comparesEncoded: isExcluded) }

    /// The normalised paths that it takes, leaving the query and the fragment aside.
    var pathLanguage: Language { path.pathLanguage(reading) }

    /// Whether this rule takes every URL that `other` takes, as far as query and fragment go.
    func takesQueryAndFragment(of other: AppleRule) -> Bool {
        // The same text means the same only where it is read in the same way.
        let isReadAlike = reading == other.reading || query.isEmpty && fragment == nil
        return isReadAlike && query.allSatisfy(other.query.contains) && (fragment == nil || fragment == other.fragment)
    }

    func write(to writer: inout JSONWriter, _ variables: AppleVariables) {
        writer.beginObject()
        writer.member("/", variables.text(of: path))
        if !query.isEmpty {
            writer.key("?")
            writer.beginObject()
            for item in query { writer.member(item.name, variables.text(of: item.value)) }
            writer.endObject()
        }
        if let fragment { writer.member("#", variables.text(of: fragment)) }
        if isExcluded { writer.member("exclude", true) }
        if foldsCase { writer.member("caseSensitive", false) }
        if !isExcluded { writer.member("percentEncoded", false) }
        writer.endObject()
    }
}

/// The substitution variables of a generated file: lists of values that several rules may share.
struct AppleVariables {
    private(set) var all: [(name: String, values: [String])] = []
    private var names: [Glob.Piece: String] = [:]

    private static let builtIn: Set = ["alpha", "upper", "lower", "alnum", "digit", "xdigit", "lang", "region"]

    /// Gives the lists of values in a pattern their names, after the parameters or query items that have them.
    mutating func add(from glob: Glob) {
        for piece in glob.pieces {
            guard case .values(let values, let wanted) = piece, names[piece] == nil else { continue }
            names[piece] = add(values, called: wanted)
        }
    }

    private mutating func add(_ values: [[Glob.Piece]], called wanted: String) -> String {
        let plain = wanted.filter { $0 != "$" && $0 != "(" && $0 != ")" }
        let texts = values.map { text(of: Glob(pieces: $0)) }
        var name = plain.isEmpty ? "value" : plain
        var number = 2
        while Self.builtIn.contains(name) || all.contains(where: { $0.name == name && $0.values != texts }) {
            name = "\(plain)\(number)"
            number += 1
        }
        if !all.contains(where: { $0.name == name }) { all.append((name, texts)) }
        return name
    }

    /// The pattern as the file writes it; every list in it has been added.
    func text(of glob: Glob) -> String {
        var bytes: [UInt8] = []
        for piece in glob.pieces {
            switch piece {
            case .byte(let byte): bytes.append(byte)
            case .one: bytes.append(UInt8(ascii: "?"))
            case .many: bytes.append(UInt8(ascii: "*"))
            case .values: bytes += "$(\(names[piece] ?? ""))".utf8
            case .character, .never: preconditionFailure("the generator writes no classes and no unknown variables")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
