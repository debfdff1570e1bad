// Escapes for untrusted text in the languages that Fingerpost writes. Each escape has its only implementation here, or
// in Escapes+code.swift for generated code; `./dev check` looks for others.
//
// All functions work on Unicode scalars. A `Character` may hide the relevant scalar: after U+0600 or before U+0301, `<`
// is not found by `String.replacing`, but a browser still reads it as `<`.

extension String {
    /// Escaped as text, or as a quoted attribute, in HTML.
    package var escapedForHTML: String {
        // Most texts need no escape, and bytes are read faster than scalars.
        guard utf8.contains(where: { $0 < UInt8(ascii: "?") && "&<>\"'".utf8.contains($0) }) else { return self }
        return escaped { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            default: nil
            }
        }
    }

    /// Escaped as a value of a Handlebars template, like Handlebars' `{{value}}`.
    package var escapedForHandlebars: String {
        escaped { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#x27;"
            case "`": "&#x60;"
            case "=": "&#x3D;"
            default: nil
            }
        }
    }

    /// Escaped as text, or as an attribute in double quotes, in XML 1.0. Scalars that XML cannot represent become
    /// U+FFFD.
    package var escapedForXML: String {
        escaped { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\n", "\r", "\t": "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
            default: scalar.isUnsafeToDisplay ? "&#\(scalar.value);" : nil
            }
        }
    }

    /// XML text with the entities decoded that S3 and compatible services write.
    package var unescapedFromXML: String {
        var text = ""
        var rest = unicodeScalars[...]
        while let ampersand = rest.firstIndex(of: "&") {
            text.unicodeScalars += rest[..<ampersand]
            rest = rest[ampersand...]
            let name = String(rest.prefix { $0 != ";" }.dropFirst())
            guard let scalar = Self.entities[name], rest.prefix(name.unicodeScalars.count + 2).last == ";" else {
                text.unicodeScalars.append(rest.removeFirst())
                continue
            }
            text.unicodeScalars.append(scalar)
            rest.removeFirst(name.unicodeScalars.count + 2)
        }
        text.unicodeScalars += rest
        return text
    }

    private static let entities: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "#34": "\"", "#39": "'", "#38": "&", "#60": "<",
        "#62": ">",
    ]

    /// Quoted as one word of a POSIX shell. A NUL, which no word can contain, becomes U+FFFD.
    package var quotedForShell: String {
        "'"
            + escaped { scalar in
                switch scalar {
                case "'": "'\\''"
                case "\0": "\u{FFFD}"
                default: nil
                }
            } + "'"
    }

    /// Escaped as a regular expression that matches only this text, in the syntax that Java, ICU and JavaScript share.
    package var escapedForRegularExpressions: String {
        escaped { "\\^$.|?*+()[]{}".unicodeScalars.contains($0) ? "\\\($0)" : nil }
    }

    /// Escaped as a part of one cell of a Markdown table.
    package var escapedForMarkdownCell: String {
        escaped { scalar in
            switch scalar {
            case "|": "\\|"
            default: scalar.endsLine ? " " : nil
            }
        }
    }

    /// A cell of comma-separated values in quotation marks (RFC 4180).
    package var quotedForCSV: String { "\"" + escaped { $0 == "\"" ? "\"\"" : nil } + "\"" }

    /// Escaped as a value in an Android manifest, where the build tools remove one level of backslashes.
    package var escapedForManifest: String { escaped { $0 == "\\" ? "\\\\" : nil } }

    /// A URL escaped as a part of Apple's `apple-itunes-app`, where commas separate the parts.
    package var escapedForSmartBanner: String { escaped { $0 == "," ? "%2C" : nil } }

    /// Escaped as a label value in Prometheus' text format.
    package var escapedForPrometheus: String {
        escaped { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: nil
            }
        }
    }

    /// Escaped for one line of terminal output: without control sequences, line breaks and bidirectional controls. A
    /// tab stays. The escaping is idempotent.
    package var escapedForTerminal: String { escaped { $0 == "\t" ? nil : $0.escapeForTerminal } }

    /// Equivalent JSON without control or format characters in its strings. The line breaks of its layout stay.
    package var jsonEscapedForTerminal: String {
        escaped { scalar in
            guard scalar.value >= 0x7F, scalar.isUnsafeToDisplay else { return nil }
            return scalar.utf16Escapes
        }
    }

    /// Replaces scalars.
    ///
    /// - Parameter replacement: Returns the replacement of a scalar; nil to keep it.
    func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var text = ""
        // What is between two replacements is copied at once.
        var rest = unicodeScalars[...]
        for index in unicodeScalars.indices {
            guard let replacement = replacement(unicodeScalars[index]) else { continue }
            text += Substring(rest[..<index])
            text += replacement
            rest = rest[unicodeScalars.index(after: index)...]
        }
        guard rest.startIndex > startIndex else { return self }
        return text + Substring(rest)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar ends a line in any language, also in those that know only some of them.
    var endsLine: Bool {
        switch self {
        case "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    /// C0, DEL and C1, line and paragraph separators, format characters (which change the direction of text, or are
    /// invisible), private use, and scalars that this version of Unicode does not assign.
    package var isUnsafeToDisplay: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }

    /// The escape, such as `\u{9B}`; nil for a scalar that can be printed as is.
    package var escapeForTerminal: String? {
        isUnsafeToDisplay ? "\\u{\(hexadecimal(width: 1))}" : nil
    }

    /// An escape for each UTF-16 code unit, such as `\u009b`, as JSON, Kotlin and JavaScript write them.
    var utf16Escapes: String {
        UTF16.encode(self).map { units in
            units.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }.joined()
        } ?? ""
    }

    /// The value in hexadecimal digits, with zeros before it up to a width.
    func hexadecimal(width: Int) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
