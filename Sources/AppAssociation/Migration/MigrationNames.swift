import LinkRouting

/// Names for what a table wants named, made from what a file says: the same for the same file, and each once.
struct MigrationNames {
    private var ids: Set<String> = []

    /// An id for people: the path's own words, and those of the conditions beside it.
    mutating func routeID(_ path: MigratedPath, _ conditions: [String]) -> String {
        var id = Self.identifier((path.words + conditions).joined(separator: "-"))
        if id.isEmpty {
            id = path.hasRest && path.segments.isEmpty ? "everything" : path.segments.isEmpty ? "home" : "page"
        }
        return Self.unique(id, &ids)
    }

    /// A screen of the app: the path's own words.
    static func screen(_ path: MigratedPath) -> String {
        let words = path.words.joined(separator: " ").split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        guard name.isEmpty else { return String(name.prefix(64)) }
        return path.segments.isEmpty ? (path.hasRest ? "Main" : "Home") : "Page"
    }

    /// Ids of apps by their application identifiers: as much of the end of each bundle ID as tells it from the others.
    static func appIDs(_ identifiers: [String]) -> [String: String] {
        guard identifiers.count > 1 else { return Dictionary(uniqueKeysWithValues: identifiers.map { ($0, "ios") }) }
        let parts = identifiers.map { Array($0.split(separator: ".").reversed()) }
        var taken: Set<String> = []
        var ids: [String: String] = [:]
        for (identifier, own) in zip(identifiers, parts) {
            let length = (1...max(1, own.count)).first { length in
                parts.count { $0.prefix(length) == own.prefix(length) } == 1
            }
            let name = own.prefix(length ?? own.count).reversed().joined(separator: "-")
            let id = Self.identifier(name)
            ids[identifier] = unique(id.isEmpty ? "app" : id, &taken)
        }
        return ids
    }

    /// The brand's part of a host: `acme` of `links.acme.com`.
    static func tenant(_ host: String) -> String {
        let labels = host.split(separator: ".")
        let name = identifier(String(labels.dropLast().last ?? labels.last ?? ""))
        return name.isEmpty ? "tenant" : name
    }

    /// With a number behind it where it is taken.
    private static func unique(_ id: String, _ taken: inout Set<String>) -> String {
        var unique = id
        var number = 2
        while !taken.insert(unique).inserted {
            unique = "\(id.prefix(56))-\(number)"
            number += 1
        }
        return unique
    }

    /// What an identifier may have of a text, in lower case; everything else is a `-`.
    private static func identifier(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8.map(\.lowercasedASCII) {
            if ByteSet.lower.union(.digits).contains(byte) {
                bytes.append(byte)
            } else if let last = bytes.last, last != UInt8(ascii: "-") {
                bytes.append(UInt8(ascii: "-"))
            }
        }
        bytes = Array(bytes.prefix(60))
        if bytes.last == UInt8(ascii: "-") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
