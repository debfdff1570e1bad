import LinkRouting

extension [LanguageTag] {
    /// The languages of `Accept-Language` by weight, best first; at most 16.
    init(acceptLanguage header: String?) {
        let weighted = (header ?? "").split(separator: ",").prefix(16).enumerated().compactMap { index, item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let text = parts.first, let tag = LanguageTag(text) else {
                return nil as (tag: LanguageTag, key: (Double, Int))?
            }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return weight > 0 ? (tag, (-weight, index)) : nil
        }
        self = weighted.sorted { $0.key < $1.key }.map(\.tag)
    }
}
