import LinkRouting
import Testing

/// No text escapes from its context, however its scalars combine.
struct EscapesTests {
    /// Delimiters among scalars that join them into one `Character`: prepended marks, accents, joiners, variation
    /// selectors, and terminal control characters.
    private static let scalars =
        Array(
            "<>&\"'\\`$;#\n\r\t =a/\u{0}\u{7}\u{1B}\u{7F}\u{85}\u{9B}\u{600}\u{301}\u{200D}\u{200E}\u{202E}\u{2028}\u{2029}\u{2066}"
                .unicodeScalars
        ) + Array("\u{FE0F}\u{1F1E9}\u{1F468}\u{E0001}\u{E000}\u{FFFE}\u{61C}\u{110BD}é日".unicodeScalars)

    private func texts() -> [String] {
        var random = SystemRandomNumberGenerator()
        return (0..<5_000).map { _ in
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                text.append(Self.scalars[Int.random(in: 0..<Self.scalars.count, using: &random)])
            }
            return String(text)
        }
    }

    private func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    @Test func textStaysTextInHTML() {
        for text in texts() {
            let escaped = text.escapedForHTML
            #expect(!escaped.utf8.contains { "<>\"'".utf8.contains($0) }, "\(Array(text.unicodeScalars))")
            #expect(same(escaped.unescapedFromXML, text))
        }
    }

    @Test func textStaysTextInXML() {
        for text in texts() {
            let escaped = text.escapedForXML
            #expect(!escaped.utf8.contains { "<>\"\n\r\t\0\u{1B}".utf8.contains($0) })
            #expect(!escaped.unicodeScalars.contains { $0.isUnsafeToDisplay })
        }
        #expect("a\u{600}&<\u{301}\n\u{0}\u{FFFE}".escapedForXML == "a&#1536;&amp;&lt;\u{301}&#10;\u{FFFD}\u{FFFD}")
    }

    @Test(arguments: [
        ("a&lt;b&gt;&quot;&#34;&#39;&apos;&amp;lt;", "a<b>\"\"''&lt;"), ("&", "&"), ("&&amp", "&&amp"),
        ("&nbsp;&;", "&nbsp;&;"),
        ("&amp;\u{301}&lt", "&\u{301}&lt"),
    ]) func escapesOfAnswersAreRead(_ text: String, _ meant: String) {
        #expect(same(text.unescapedFromXML, meant))
    }

    /// Between single quotes, a shell takes every byte literally except the quote.
    @Test func shellQuotingYieldsOneWord() {
        for text in texts() {
            let word = Array(text.quotedForShell.utf8)
            var (read, isQuoted) = ([UInt8](), false)
            var index = 0
            while index < word.count {
                switch word[index] {
                case UInt8(ascii: "'"): isQuoted.toggle()
                case UInt8(ascii: "\\") where !isQuoted:
                    index += 1
                    read.append(word[index])
                default:
                    #expect(isQuoted, "\(text)")
                    read.append(word[index])
                }
                index += 1
            }
            #expect(!isQuoted && read == Array(text.utf8))
        }
    }

    @Test func prometheusLabelRoundTrips() {
        for text in texts() {
            var (read, isEscaped) = ([UInt8](), false)
            for byte in text.escapedForPrometheus.utf8 {
                if isEscaped {
                    read.append(byte == UInt8(ascii: "n") ? 0x0A : byte)
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    #expect(byte != UInt8(ascii: "\"") && byte != 0x0A)
                    read.append(byte)
                }
            }
            #expect(!isEscaped && read == Array(text.utf8))
        }
    }

    @Test func terminalGetsNothingToObey() {
        for text in texts() {
            let shown = text.escapedForTerminal
            #expect(shown.unicodeScalars.allSatisfy { $0 == "\t" || !$0.isUnsafeToDisplay })
            #expect(same(shown.escapedForTerminal, shown))
        }
        #expect("a\u{9B}31m\n\u{202E}\tb é".escapedForTerminal == "a\\u{9B}31m\\u{A}\\u{202E}\tb é")
    }

    @Test func jsonForATerminalMeansTheSame() throws {
        let limits = JSONReader.Limits(maximumBytes: 1 << 20)
        for text in texts() {
            let node = JSONNode.object(["a": .string(text)])
            for layout in [JSONWriter.Layout.compact, .pretty] {
                let json = node.json(layout).jsonEscapedForTerminal
                #expect(json.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnsafeToDisplay })
                let read = try JSONReader.parse(json, limits: limits)["a"]?.text
                #expect(read.map { same($0, text) } == true, "\(json)")
            }
        }
    }
}
