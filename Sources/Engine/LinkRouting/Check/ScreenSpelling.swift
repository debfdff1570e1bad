/// Finds the screen that a name probably misspells, in a table that does not declare its screens.
///
/// A misspelling is rare beside a frequent name, and differs from it in one or two letters of one word. Families of
/// screens differ as little: plurals and other endings, numbered names, and short words. They are left out, because a
/// wrong finding costs more than a missed one. A table that declares `screens` is checked exactly.
struct ScreenSpelling {
    private let frequent: [Name]
    /// The remaining work, in comparisons of two bytes. Nobody reads thousands of suggestions.
    private var comparisonsLeft = 10_000_000

    private struct Name {
        let text: String
        let uses: Int
        let words: [[UInt8]]
    }

    /// The minimum uses of the name that is meant, and how many times more frequent it is than a misspelling.
    private static let leastUses = 3
    private static let ratio = 3

    /// - Parameter uses: The number of uses of each name.
    init(_ uses: [String: Int]) {
        frequent = uses.filter { $0.value >= Self.leastUses }
            .map { Name(text: $0.key, uses: $0.value, words: Self.words(of: $0.key)) }
            .sorted { ($1.uses, $0.text) < ($0.uses, $1.text) }
    }

    /// Returns the name that is probably meant, and its uses; nil if there is none.
    mutating func meant(by name: String, uses: Int) -> (name: String, uses: Int)? {
        guard !frequent.isEmpty else { return nil }
        let words = Self.words(of: name)
        for other in frequent where other.uses >= uses * Self.ratio && other.text != name {
            guard comparisonsLeft > 0 else { return nil }
            comparisonsLeft -= 1
            guard other.words.count == words.count else { continue }
            let differing = words.indices.filter { words[$0] != other.words[$0] }
            guard let only = differing.first, differing.count == 1 else { continue }
            comparisonsLeft -= words[only].count * other.words[only].count
            if Self.isMisspelt(words[only], of: other.words[only]) { return (other.text, other.uses) }
        }
        return nil
    }

    private static func isMisspelt(_ word: [UInt8], of meant: [UInt8]) -> Bool {
        guard word.first == meant.first, !isEnding(word, meant), !isEnding(meant, word),
            !(word + meant).contains(where: { (0x30...0x39).contains($0) })
        else { return false }
        let text = (String(decoding: meant, as: UTF8.self), String(decoding: word, as: UTF8.self))
        let most: Int
        switch meant.count {
        case ..<5: return false
        // Another letter often makes another word of a short one: 'Store' and 'Story'.
        case 5: most = word.count == meant.count ? 0 : 1
        case 6...8: most = 1
        default: most = 2
        }
        return typos(between: text.0, and: text.1) <= most
    }

    private static let endings = Set(
        ["s", "es", "d", "ed", "r", "er", "or", "e", "y", "ly", "n", "en", "al", "ie", "ic"].map { Array($0.utf8) }
    )

    /// Whether `longer` is `word` with a common ending.
    private static func isEnding(_ word: [UInt8], _ longer: [UInt8]) -> Bool {
        longer.starts(with: word) && endings.contains(Array(longer.dropFirst(word.count)))
    }

    /// Splits a name such as `ProductDetail` or `product_detail` into words in lower case.
    private static func words(of name: String) -> [[UInt8]] {
        let bytes = Array(name.utf8)
        func isUpper(_ index: Int) -> Bool { bytes.indices.contains(index) && (0x41...0x5A).contains(bytes[index]) }
        func isLower(_ index: Int) -> Bool { bytes.indices.contains(index) && (0x61...0x7A).contains(bytes[index]) }
        var words: [[UInt8]] = [[]]
        for (index, byte) in bytes.enumerated() {
            guard !"_-. /".utf8.contains(byte) else {
                words.append([])
                continue
            }
            if isUpper(index), !isUpper(index - 1) || isLower(index + 1) { words.append([]) }
            words[words.count - 1].append(isUpper(index) ? byte | 0x20 : byte)
        }
        return words.filter { !$0.isEmpty }
    }
}
