/// The id of an API key: the twelve characters of its token before the secret. It is not a secret.
package struct KeyID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }

    package static func < (left: KeyID, right: KeyID) -> Bool { left.rawValue < right.rawValue }
}
