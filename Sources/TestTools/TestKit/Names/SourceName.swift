import LinkRouting

/// A name in generated code, made from text that people or other programs wrote: a file, a JSON key, a screen, a link.
///
/// Letters and digits of the text are kept, everything else separates words. The same text always gives the same name.
package struct SourceName: Sendable, Hashable {
    /// At least one; none is empty.
    private let words: [String]

    /// Longer names do not help a reader, and Android limits a class file's names to 64 KiB.
    private static let maximumScalars = 80

    package init(_ text: String) {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        var wasLower = false
        for scalar in text.unicodeScalars.prefix(Self.maximumScalars) {
            guard scalar.isPartOfNames else {
                if !word.isEmpty { words.append(String(word)) }
                word = String.UnicodeScalarView()
                wasLower = false
                continue
            }
            let isUpper = scalar.properties.generalCategory == .uppercaseLetter
            if isUpper, wasLower {
                words.append(String(word))
                word = String.UnicodeScalarView()
            }
            word.append(scalar)
            wasLower = !isUpper
        }
        if !word.isEmpty { words.append(String(word)) }
        self.words = words.isEmpty ? ["empty"] : words
    }

    private init(words: [String]) { self.words = words }

    /// The name followed by another, such as `product` and `2`.
    package func followed(by text: String) -> SourceName { SourceName(words: words + SourceName(text).words) }

    /// The name in camel case, such as `productDetail`. A word in capitals becomes lower case at the beginning.
    package var lowerCamel: String {
        let first = words[0]
        let isCapitals = first.unicodeScalars.allSatisfy { $0.properties.generalCategory != .lowercaseLetter }
        let head = isCapitals ? first.lowercasedInNames : String(first.prefix(1)).lowercasedInNames + first.dropFirst()
        return declarable(head + words.dropFirst().map(\.withCapital).joined())
    }

    /// The name in Pascal case, such as `ProductDetail`.
    package var upperCamel: String { declarable(words.map(\.withCapital).joined()) }

    /// The name in upper snake case, such as `PRODUCT_DETAIL`.
    package var upperSnake: String { declarable(words.map(\.uppercasedInNames).joined(separator: "_")) }

    /// The words as part of a longer name, such as `Product123`.
    package var inner: String { words.map(\.withCapital).joined() }

    private func declarable(_ name: String) -> String {
        let startsWithDigit = name.unicodeScalars.first?.properties.numericType != nil
        return startsWithDigit ? "_" + name : name
    }
}

/// Names in one scope. A name that is taken gets a number.
package struct NameScope {
    private var taken: Set<String>

    package init(_ taken: Set<String> = []) { self.taken = taken }

    /// Returns the first of `name(name)`, `name(name 2)`, … that is not taken, and takes it. Letter case does not
    /// distinguish names, because it does not distinguish files on some systems.
    package mutating func take(_ name: SourceName, as spelling: (SourceName) -> String) -> (name: String, isFirst: Bool)
    {
        var (number, spelled) = (1, spelling(name))
        while !taken.insert(spelled.lowercased()).inserted {
            number += 1
            spelled = spelling(name.followed(by: "\(number)"))
        }
        return (spelled, number == 1)
    }
}

extension String {
    fileprivate var withCapital: String { String(prefix(1)).uppercasedInNames + dropFirst() }
}
