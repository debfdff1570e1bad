/// What a tenant's settings changed in a link before it was compared with the routes.
public struct LinkReading: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The link was damaged when somebody copied it out of a text.
    public static let repair = LinkReading(rawValue: 1)
    /// The parameters in the fragment count as those of the query.
    public static let fragmentParameters = LinkReading(rawValue: 2)

    /// The keys of the settings that did so.
    public var names: [String] {
        (contains(.repair) ? ["repair"] : []) + (contains(.fragmentParameters) ? ["fragmentParameters"] : [])
    }
}

extension LinkReading {
    package static let keys = ["repair", "fragmentParameters"]

    /// Reads `{repair, fragmentParameters}`.
    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object(Self.keys)
        self = []
        if try object["repair"]?.bool() == true { insert(.repair) }
        if try object["fragmentParameters"]?.bool() == true { insert(.fragmentParameters) }
    }
}

extension DeepLink {
    /// The link without the damage of copying it: the HTML entity of `&` in query and fragment, and a dot, comma or closing
    /// bracket behind the link. A bracket that the link opens is its own. Nil if it has no damage.
    var repaired: DeepLink? {
        var text = bytes[..<endOfText]
        if let start = rawQuery?.lowerBound ?? rawFragment?.lowerBound, start < text.endIndex {
            text = text[..<start] + text[start...].withoutEntities
        }
        return text.count < bytes.count ? try? DeepLink.parse(Array(text)) : nil
    }

    /// The index behind the last byte that is part of the link.
    private var endOfText: Int {
        var end = bytes.endIndex
        // How many closing brackets of a kind the link does not open.
        var unopened: [UInt8: Int] = [:]
        while end > bytes.startIndex {
            let last = bytes[end - 1]
            switch last {
            case UInt8(ascii: "."), UInt8(ascii: ","): break
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                // In ASCII, '(' is the byte before ')'. One byte lies between the others of a pair.
                let opening = last == UInt8(ascii: ")") ? last - 1 : last - 2
                let count = unopened[last] ?? bytes.reduce(0) { $0 + ($1 == last ? 1 : $1 == opening ? -1 : 0) }
                guard count > 0 else { return end }
                unopened[last] = count - 1
            default: return end
            }
            end -= 1
        }
        return end
    }

    /// The link whose query also has the parameters of its fragment: all of `#a=1&b=2`, and those behind the `?` of
    /// `#/path?a=1`. A fragment `#!/path` becomes `#/path`. Nil if the fragment has none of these.
    var withFragmentParameters: DeepLink? {
        guard let rawFragment else { return nil }
        var fragment = bytes[rawFragment]
        if fragment.first == UInt8(ascii: "!") { fragment = fragment.dropFirst() }
        var items = fragment[fragment.endIndex...]
        let mark = fragment.firstIndex(of: UInt8(ascii: "?"))
        if fragment.first != UInt8(ascii: "/"), fragment[..<(mark ?? fragment.endIndex)].contains(UInt8(ascii: "=")) {
            items = fragment
        } else if let mark {
            (fragment, items) = (fragment[..<mark], fragment[(mark + 1)...])
        }
        // The text behind a further '#' would become a fragment.
        items = items.prefix { $0 != UInt8(ascii: "#") }
        guard !items.isEmpty || fragment.count < rawFragment.count else { return nil }
        var text = Array(bytes[..<(rawFragment.lowerBound - 1)])
        if !items.isEmpty {
            text.append(rawQuery == nil ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            text += items
        }
        text.append(UInt8(ascii: "#"))
        text += fragment
        return try? DeepLink.parse(text)
    }
}

extension ArraySlice<UInt8> {
    /// The text with `&` for each of its HTML entities.
    fileprivate var withoutEntities: [UInt8] {
        var text: [UInt8] = []
        var rest = self
        let entity = Array("&".utf8) + Array("amp;".utf8)
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += rest[...ampersand]
            rest =
                rest[ampersand...].starts(with: entity) ? rest[(ampersand + entity.count)...] : rest[(ampersand + 1)...]
        }
        return text + rest
    }
}
