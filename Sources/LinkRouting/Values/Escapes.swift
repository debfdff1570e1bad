// Text of strangers in the languages that Fingerpost writes: the one place of each escape; `./dev check` looks for others.
//
// All of them go by Unicode scalars. A `Character` hides the scalar that matters: `<` behind U+0600 or before U+0301 is no
// `<` to `String.replacing`, and to a browser it is.

extension String {
    /// As text, or as a quoted attribute, of HTML.
    package var escapedForHTML: String {
        escaped { scalar in
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

    /// As text, or as an attribute in double quotes, of XML 1.0; a scalar that it cannot hold becomes a replacement character.
    package var escapedForXML: String {
        escaped { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\n", "\r", "\t": "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
            default: scalar.isObeyedByTerminals ? "&#\(scalar.value);" : nil
            }
        }
    }

    /// Text of XML without the escapes that S3 and its like write.
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

    /// As one word of a POSIX shell.
    package var quotedForShell: String { "'" + escaped { $0 == "'" ? "'\\''" : nil } + "'" }

    /// As the value of a label in Prometheus' text format.
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

    /// As a part of one line for people: nothing that a terminal obeys, that ends the line or that turns its direction. A
    /// tab stays. Escaping again changes nothing.
    package var escapedForTerminal: String { escaped { $0 == "\t" ? nil : $0.escapeForTerminal } }

    /// JSON that means the same, with nothing in its texts that a terminal obeys. Line breaks of its layout stay.
    package var jsonEscapedForTerminal: String {
        escaped { scalar in
            guard scalar.value >= 0x7F, scalar.isObeyedByTerminals else { return nil }
            return UTF16.encode(scalar).map { units in
                units.map { unit in
                    let digits = String(unit, radix: 16)
                    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                }.joined()
            }
        }
    }

    /// - Parameter replacement: Of a scalar; nil for one that stays.
    private func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var text = ""
        text.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if let replacement = replacement(scalar) {
                text += replacement
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1, line and paragraph separators, format characters (which turn the direction of text, or hide), and what
    /// this version of Unicode does not know.
    package var isObeyedByTerminals: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }

    /// `\u{9B}`; nil for a scalar that may be shown as it is.
    package var escapeForTerminal: String? {
        isObeyedByTerminals ? "\\u{\(String(value, radix: 16, uppercase: true))}" : nil
    }
}
