/// What the conditions of many routes ask about one link, computed once when it is first worth it.
struct LinkParts {
    private var lookups = 0
    private var items: [ExactText: [DeepLink.QueryItem]]?
    private var fragmentPath: DeepLink??

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
        lookups += 1
        guard lookups > Self.fewLookups else { return nil }
        let items = items ?? Self.items(of: link, plusSign)
        self.items = items
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
        if let fragmentPath { return fragmentPath }
        let path = link.fragmentPath
        fragmentPath = .some(path)
        return path
    }
}
