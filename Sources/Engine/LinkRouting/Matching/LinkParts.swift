/// Parts of one link that the conditions of many routes test. Each is computed once, when it is first needed.
struct LinkParts {
    /// A reference, because every lookup creates and destroys this value, and few lookups use it.
    private var computed: Computed?

    private final class Computed {
        /// The number of conditions on query items that were evaluated so far.
        var lookups = 0
        var items: [ExactText: QueryOccurrences]?
        var fragment: String??
        var fragmentPath: DeepLink??
    }

    /// The number of query items up to which a condition compares the names of all.
    private static let fewItems = 16
    /// The number of conditions after which a dictionary is faster for a link with more items.
    private static let fewLookups = 32

    /// Returns the occurrences of an item; nil if the caller compares the names of all items.
    mutating func occurrences(
        named name: String,
        of link: DeepLink,
        _ plusSign: DeepLink.PlusSign
    ) -> QueryOccurrences? {
        guard link.query.count > Self.fewItems else { return nil }
        let computed = computedParts()
        computed.lookups += 1
        guard computed.lookups > Self.fewLookups else { return nil }
        return indexedOccurrences(named: name, of: link, plusSign)
    }

    /// Returns the occurrences of an item from the index of the link's items, which the first call makes.
    mutating func indexedOccurrences(
        named name: String,
        of link: DeepLink,
        _ plusSign: DeepLink.PlusSign
    ) -> QueryOccurrences {
        let computed = computedParts()
        let items = computed.items ?? Self.index(link, plusSign)
        computed.items = items
        return items[ExactText(name)] ?? QueryOccurrences()
    }

    private static func index(_ link: DeepLink, _ plusSign: DeepLink.PlusSign) -> [ExactText: QueryOccurrences] {
        var items: [ExactText: QueryOccurrences] = [:]
        var seen: Set<ArraySlice<UInt8>> = []
        for item in link.query where seen.insert(link.bytes[item.raw]).inserted {
            guard let name = link.name(of: item, plus: plusSign) else { continue }
            let occurrences = items[ExactText(name)] ?? QueryOccurrences()
            occurrences.append(item)
            items[ExactText(name)] = occurrences
        }
        return items
    }

    mutating func fragment(of link: DeepLink) -> String? {
        let computed = computedParts()
        if let fragment = computed.fragment { return fragment }
        let fragment = link.fragment
        computed.fragment = .some(fragment)
        return fragment
    }

    mutating func fragmentPath(of link: DeepLink) -> DeepLink? {
        let computed = computedParts()
        if let fragmentPath = computed.fragmentPath { return fragmentPath }
        let path = link.fragmentPath
        computed.fragmentPath = .some(path)
        return path
    }

    private mutating func computedParts() -> Computed {
        if let computed { return computed }
        let computed = Computed()
        self.computed = computed
        return computed
    }
}
