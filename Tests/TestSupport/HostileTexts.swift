/// Texts that could leave the place in another language into which they are written.
///
/// They combine delimiters with scalars that hide them: a program that compares by `Character` does not find a delimiter
/// beside a combining mark, but a compiler does.
package enum HostileTexts {
    /// Scalars that join their neighbours into one `Character`, end a line, change its direction, or are invisible.
    package static let marks: [String] = [
        // Combining: accents, an enclosing keycap, half-width sound marks, a skin tone, vowels, a variation selector.
        "\u{301}", "\u{20E3}", "\u{FF9E}", "\u{FF9F}", "\u{1F3FB}", "\u{E33}", "\u{93E}", "\u{FE0F}", "\u{E0101}",
        // Prepended: an Arabic and a Kaithi number sign, a letter of Malayalam.
        "\u{600}", "\u{110BD}", "\u{D4E}",
        // Joined in other ways: joiners, a half of a flag, Hangul.
        "\u{200D}", "\u{200C}", "\u{1F1E9}", "\u{1100}", "\u{11A8}",
        // Line ends, and other controls.
        "\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}", "\t", "\u{0}", "\u{1B}", "\u{7F}",
        "\u{9B}",
        // Bidirectional controls and marks.
        "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
        "\u{200E}", "\u{200F}", "\u{61C}", "\u{5D0}",
        // A byte order mark, a tag, private use, noncharacters, a replacement character, and the last one.
        "\u{FEFF}", "\u{E0001}", "\u{E000}", "\u{FFFE}", "\u{FFFF}", "\u{FFFD}", "\u{10FFFF}",
        // U+FDD0 has no escape in Swift.
        String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self),
    ]

    /// What begins, ends or escapes something in Swift, Kotlin, TypeScript, YAML, a shell, HTML, XML, SQL or Markdown.
    package static let delimiters: [String] = [
        "\"", "'", "`", "\\", "$", "*/", "/*", "/**/", "//", "*", "/", "#", "\"\"\"", "\"#", "\\(x)", "${x}", "$(id)",
        "`id`", "</script>", "<!--", "-->", "<![CDATA[", "]]>", "</p>", "<", ">", "&", "&amp;", "&#39;", ": ", "- ",
        "? ",
        "---", "...", "|", "%", "@", "!", "{", "}", "[", "]", ",", ";", "&&", "';--", "--", "\\n", "\\u000a", "\\u{A}",
        "\\x41", "\\U00000041", "{{x}}", "=", "~", "null", "no", "y", "1e3", "0x1F", "@ts-ignore", "#if", " ",
    ]

    /// Each delimiter with each mark before it, behind it, on both sides, and between its scalars.
    package static let combinations: [String] = marks.flatMap { mark in
        delimiters.flatMap { delimiter -> [String] in
            let scalars = delimiter.unicodeScalars.map(String.init)
            let torn = scalars.count > 1 ? [scalars.joined(separator: mark)] : []
            return ["a\(mark)\(delimiter)b", "a\(delimiter)\(mark)b", "\(mark)\(delimiter)\(mark)"] + torn
        }
    }

    /// The combinations of each mark in one text. For programs that take long for many texts.
    package static let joined: [String] = marks.flatMap { mark in
        [
            delimiters.map { mark + $0 }.joined(separator: " "), delimiters.map { $0 + mark }.joined(separator: " "),
            delimiters.joined(separator: mark),
        ]
    }

    /// Random texts of at most ten parts.
    package static func random(_ count: Int, seed: UInt64) -> [String] {
        var random = SeededGenerator(seed: seed)
        let parts = marks + delimiters + ["a", "é", "e\u{301}", "日本", "🧪", "שלום", "\u{1F468}\u{200D}\u{1F469}"]
        return (0..<count).map { _ in
            (0..<Int.random(in: 0...10, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
    }
}
