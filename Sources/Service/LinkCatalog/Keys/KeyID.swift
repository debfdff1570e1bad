/// The id of an API key: the twelve characters of its token before the secret. It is not a secret.
package struct KeyID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The id that a person names by itself or with its whole key. Nil for a text that is neither.
    package init?(named text: String) {
        let text = text.filter { !$0.isWhitespace }
        if let key = APIKey(token: text) {
            self = key.id
            return
        }
        guard (1...12).contains(text.utf8.count), text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return nil }
        self.init(rawValue: text)
    }

    package var description: String { rawValue }

    package static func < (left: KeyID, right: KeyID) -> Bool { left.rawValue < right.rawValue }
}
