/// Facts that the caller of a resolution does not know and the server does.
package struct OpenFacts: Sendable, Hashable {
    package var country = false
    /// Names of traits.
    package var traits: Set<ExactText> = []
    /// The time, if the caller's clock is wrong.
    package var time = false

    package init() {}

    /// Reads `country`, `traits.NAME` and `time`. Other words are facts of a newer version, and no condition of this one
    /// depends on them.
    package init(_ words: some Sequence<String>) {
        for word in words {
            switch word {
            case "country": country = true
            case "time": time = true
            case _ where word.hasPrefix("traits."): traits.insert(ExactText(String(word.dropFirst(7))))
            default: continue
            }
        }
    }

    package var isEmpty: Bool { !country && !time && traits.isEmpty }

    package func union(_ other: OpenFacts) -> OpenFacts {
        var union = self
        union.country = country || other.country
        union.time = time || other.time
        union.traits.formUnion(other.traits)
        return union
    }
}
