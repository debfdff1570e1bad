import Foundation

/// A colour in sRGB: `#rrggbb`.
package struct RGBColor: Sendable, Hashable, LosslessStringConvertible {
    private let value: UInt32

    package static let black = RGBColor(value: 0)
    package static let white = RGBColor(value: 0xFF_FFFF)

    private init(value: UInt32) { self.value = value }

    /// Reads six hexadecimal digits, with or without `#`, which a URL has to escape. Nil for any other text.
    package init?(_ text: String) {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) else {
            return nil
        }
        self.value = value
    }

    package var description: String { "#" + String(value | 0x100_0000, radix: 16).dropFirst() }

    /// Red, green and blue.
    package var components: [UInt8] { [16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    /// The relative luminance of WCAG 2: 0 for black, 1 for white.
    package var luminance: Double {
        zip(components, [0.2126, 0.7152, 0.0722]).reduce(0) { sum, part in
            let share = Double(part.0) / 255
            let light = share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            return sum + part.1 * light
        }
    }

    /// The contrast ratio of WCAG 2: 1 for equal colours, 21 for black and white.
    package func contrast(to other: RGBColor) -> Double {
        let (one, two) = (luminance + 0.05, other.luminance + 0.05)
        return max(one, two) / min(one, two)
    }

    /// The colour of text on this one: white where it can be read, with a contrast of 4.5 (WCAG 2), else black, which then
    /// has more.
    package var foreground: RGBColor { contrast(to: .white) >= 4.5 ? .white : .black }
}
