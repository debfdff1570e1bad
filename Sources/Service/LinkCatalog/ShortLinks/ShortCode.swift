import LinkRouting

/// The code of a short link: 1 to 64 of letters, digits, `-`, `_` and `/`, unique in its tenant. Letter case counts.
/// A code with `/` needs a route that ends with `{code...}`. `_fp` is the first segment of the service's own paths, so no
/// code has it there.
package struct ShortCode: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let rawValue: String

    package static let maximumLength = 64
    /// The characters of random codes: no look-alikes, and no vowels, so that no words come about.
    package static let alphabet = Array("23456789bcdfghjkmnpqrstvwxz".utf8)
    /// 27⁷ = 10 billion codes.
    package static let randomLength = 7

    /// Nil unless `text` has that form. A code neither starts nor ends with `/`, and has no empty segment.
    package init?(_ text: some StringProtocol) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }),
            !"\(text)/".hasPrefix("_fp/")
        else { return nil }
        rawValue = String(text)
    }

    /// Makes a code of ``randomLength`` characters from random bytes.
    ///
    /// - Parameter next: Returns a random number below its argument.
    package init(random next: (Int) -> Int) {
        let bytes = (0..<Self.randomLength).map { _ in Self.alphabet[next(Self.alphabet.count)] }
        rawValue = String(decoding: bytes, as: UTF8.self)
    }

    package var description: String { rawValue }

    package static func < (left: Self, right: Self) -> Bool { ExactText(left.rawValue) < ExactText(right.rawValue) }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
