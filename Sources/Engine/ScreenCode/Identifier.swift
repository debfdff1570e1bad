import LinkRouting

/// Converts names of a table, which may be any text, into identifiers of Swift and Kotlin.
///
/// Letters and decimal digits stay; everything else separates words. The result starts with a letter or `_`.
enum Identifier {
    /// `ProductDetail` for `product-detail`, `productDetail` and `ProductDetail`.
    static func upperCamel(_ text: String) -> String {
        let joined = words(of: text).map { String($0.prefix(1)).uppercasedInNames + $0.dropFirst() }.joined()
        return startingWithLetter(joined)
    }

    /// `productDetail` for `product-detail` and `ProductDetail`; `urlView` for `URLView`.
    static func lowerCamel(_ text: String) -> String {
        let words = words(of: text)
        let rest = words.dropFirst().map { String($0.prefix(1)).uppercasedInNames + $0.dropFirst() }
        return startingWithLetter(([lowercasedStart(words[0])] + rest).joined())
    }

    /// `PRODUCT_DETAIL` for `product-detail` and `productDetail`.
    static func upperSnake(_ text: String) -> String {
        var result = ""
        for word in words(of: text) {
            if !result.isEmpty { result += "_" }
            var previous: Character?
            for character in word {
                if let previous, previous.isLowercase, character.isUppercase { result += "_" }
                result.append(character)
                previous = character
            }
        }
        return startingWithLetter(result.uppercasedInNames)
    }

    /// The words of a text; at least one. A text without letters and digits becomes the code points of its scalars.
    private static func words(of text: String) -> [String] {
        let words = text.unicodeScalars.split { !$0.isPartOfNames }.map { String($0) }
        guard words.isEmpty else { return words }
        return ["u" + text.unicodeScalars.prefix(16).map { String($0.value, radix: 16, uppercase: true) }.joined()]
    }

    /// Lower-cases the first letter, or an abbreviation at the start except for the letter of the next word.
    private static func lowercasedStart(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }
        guard capitals.count > 1 else { return String(capitals).lowercasedInNames + word.dropFirst(capitals.count) }
        let rest = word.dropFirst(capitals.count)
        guard rest.first?.isLetter == true else { return String(capitals).lowercasedInNames + rest }
        return String(capitals.dropLast()).lowercasedInNames + capitals.suffix(1) + rest
    }

    private static func startingWithLetter(_ text: String) -> String {
        text.unicodeScalars.first?.properties.generalCategory == .decimalNumber ? "_" + text : text
    }
}
