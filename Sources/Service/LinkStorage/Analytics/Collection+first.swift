extension Collection {
    /// Returns the first `limit` elements in an order, without sorting all of them.
    func first(_ limit: Int, by precedes: (Element, Element) -> Bool) -> [Element] {
        guard limit > 0 else { return [] }
        var candidates = prefix(limit).sorted(by: precedes)
        for candidate in dropFirst(limit) where precedes(candidate, candidates[limit - 1]) {
            candidates.append(candidate)
            if candidates.count - limit == limit {
                candidates = Array(candidates.sorted(by: precedes).prefix(limit))
            }
        }
        return Array(candidates.sorted(by: precedes).prefix(limit))
    }
}
