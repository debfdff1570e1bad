import LinkRouting

/// Creates unique names for a table from the contents of a file. The same file always gives the same names.
struct MigrationNames {
    private var ids: Set<String> = []

    /// Returns a readable id from the literal texts of the path and of the other conditions.
    mutating func routeID(_ path: MigratedPath, _ conditions: [String]) -> String {
        var id = Self.identifier((path.words + conditions).joined(separator: "-"))
        if id.isEmpty {
            id = path.hasRest && path.segments.isEmpty ? "everything" : path.segments.isEmpty ? "home" : "page"
        }
        return Self.unique(id, &ids)
    }

    /// Returns the name of a screen from the literal texts of the path.
    static func screen(_ path: MigratedPath) -> String {
        let words = path.words.joined(separator: " ").split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        guard name.isEmpty else { return String(name.prefix(64)) }
        return path.segments.isEmpty ? (path.hasRest ? "Main" : "Home") : "Page"
    }

    /// Returns ids of apps by their application identifiers. An id is the shortest end of the bundle ID that
    /// distinguishes it from the others.
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

    /// Returns the brand's part of a host: `acme` for `links.acme.com`.
    static func tenant(_ host: String) -> String {
        let labels = host.split(separator: ".")
        let name = identifier(String(labels.dropLast().last ?? labels.last ?? ""))
        return name.isEmpty ? "tenant" : name
    }

    /// Returns `id`, with a number after it if it is taken.
    private static func unique(_ id: String, _ taken: inout Set<String>) -> String {
        var unique = id
        var number = 2
        while !taken.insert(unique).inserted {
            unique = "\(id.prefix(56))-\(number)"
            number += 1
        }
        return unique
    }

    /// Returns the text as an identifier of at most 60 bytes: ASCII letters in lower case, digits, and `-` for all
    /// else.
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
