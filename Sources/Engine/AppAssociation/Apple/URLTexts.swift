/// The components of a URL in the form that rules compare. Each form is computed once.
struct URLTexts {
    enum Part: Hashable {
        case path, query, fragment
        /// The values of a query item, identified by its decoded name.
        case item([UInt8])
    }

    /// The flags of a rule that determine the form of a component.
    struct Reading: Hashable {
        let isDecoded: Bool
        let foldsCase: Bool

        init(_ rule: AppleAppSiteAssociation.MergedRule) {
            isDecoded = !rule.percentEncoded.value
            foldsCase = !rule.caseSensitive.value
        }
    }

    struct Text {
        /// The component as the URL has it, percent-decoded if requested.
        let found: String
        let text: PatternText
    }

    private struct Key: Hashable {
        let part: Part
        let reading: Reading
    }

    private let url: DeviceURL
    /// The values of each query item as written, by its decoded name. An item without `=` has an empty value.
    private let items: [[UInt8]: [[UInt8]]]
    private var texts: [Key: [Text]] = [:]
    /// Whether a component had escapes that are not UTF-8 and so was not decoded.
    private(set) var hasUndecodable = false

    init(_ url: DeviceURL) {
        self.url = url
        var items: [[UInt8]: [[UInt8]]] = [:]
        for item in url.query.split(separator: UInt8(ascii: "&")) {
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            items[name.percentDecoded ?? Array(name), default: []].append(Array(item[name.endIndex...].dropFirst()))
        }
        self.items = items
    }

    /// The texts of a component: one text, or for a query item one for each of its occurrences in the URL.
    subscript(part: Part, reading: Reading) -> [Text] {
        mutating get {
            let key = Key(part: part, reading: reading)
            if let made = texts[key] { return made }
            let made = raw(part).map { text($0, reading, isPath: part == .path) }
            if !made.isEmpty { texts[key] = made }
            return made
        }
    }

    private func raw(_ part: Part) -> [[UInt8]] {
        switch part {
        case .path: [url.path]
        case .query: [url.query]
        case .fragment: [url.fragment]
        case .item(let name): items[name] ?? []
        }
    }

    /// Returns the form to compare. A path is normalised before it is decoded, so that an escaped slash starts no
    /// segment.
    private mutating func text(_ raw: [UInt8], _ reading: Reading, isPath: Bool) -> Text {
        let compared = isPath ? DevicePath.normalised(raw) : raw
        guard reading.isDecoded else {
            return Text(found: Self.string(raw), text: PatternText(compared, foldsCase: reading.foldsCase))
        }
        guard let decoded = raw.percentDecoded, let comparedDecoded = compared.percentDecoded else {
            hasUndecodable = true
            return Text(found: Self.string(raw), text: PatternText(compared, foldsCase: reading.foldsCase))
        }
        return Text(found: Self.string(decoded), text: PatternText(comparedDecoded, foldsCase: reading.foldsCase))
    }

    private static func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
