/// What the conditions of many routes ask about one link, computed once when it is first worth it.
struct LinkParts {
    /// A reference, because every look-up makes and ends this value, and few use it.
    private var computed: Computed?

    private final class Computed {
        /// The number of conditions on the items so far.
        var lookups = 0
        var items: [ExactText: [DeepLink.QueryItem]]?
        var fragmentPath: DeepLink??
    }

    /// The number of items up to which a condition compares all names.
    private static let fewItems = 16
    /// The number of conditions after which a dictionary of a link with more items pays.
    private static let fewLookups = 32

    /// Returns the different items of a name, in the link's order; nil if comparing all names is faster.
    mutating func items(
        named name: String,
        of link: DeepLink,
        _ plusSign: DeepLink.PlusSign
    ) -> [DeepLink.QueryItem]? {
        guard link.query.count > Self.fewItems else { return nil }
        let computed = computedParts()
        computed.lookups += 1
        guard computed.lookups > Self.fewLookups else { return nil }
        let items = computed.items ?? Self.items(of: link, plusSign)
        computed.items = items
        return items[ExactText(name)] ?? []
    }

    private static func items(
        of link: DeepLink,
        _ plusSign: DeepLink.PlusSign
    ) -> [ExactText: [DeepLink.QueryItem]] {
        var items: [ExactText: [DeepLink.QueryItem]] = [:]
        var seen: Set<ArraySlice<UInt8>> = []
        for item in link.query where seen.insert(link.bytes[item.raw]).inserted {
            guard let name = link.name(of: item, plus: plusSign) else { continue }
            items[ExactText(name), default: []].append(item)
        }
        return items
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
