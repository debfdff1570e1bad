import Foundation
import LinkRouting
import TestSupport
import Testing

/// No text escapes from its context, however its scalars combine.
struct EscapesTests {
    private static let texts = HostileTexts.combinations + HostileTexts.joined + HostileTexts.random(2_000, seed: 1)

    private func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    @Test func textStaysTextInHTML() {
        for text in Self.texts {
            let escaped = text.escapedForHTML
            #expect(!escaped.utf8.contains { "<>\"'".utf8.contains($0) }, "\(Array(text.unicodeScalars))")
            #expect(same(escaped.unescapedFromXML, text))
        }
    }

    @Test func textStaysTextInXML() {
        for text in Self.texts {
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

    /// Parsers of Python read the text in each place, and nothing else.
    @Test(.enabled(if: hasPython, "python3 is missing; './dev test' installs it.")) func parsersReadTheText()
        async throws
    {
        let program = """
            import json, re, sys
            from html.parser import HTMLParser
            from xml.parsers import expat

            class Page(HTMLParser):
                def __init__(self, text):
                    super().__init__()
                    self.read = [""]
                    self.feed(text)
                    self.close()
                def handle_data(self, data): self.read[-1] += data
                def handle_starttag(self, tag, attributes): self.read += [tag, *map(str, attributes), ""]
                def handle_endtag(self, tag): self.read += ["/" + tag, ""]
                def handle_comment(self, data): self.read += ["comment", ""]
                def handle_decl(self, data): self.read += ["declaration", ""]
                def handle_pi(self, data): self.read += ["instruction", ""]
                def unknown_decl(self, data): self.read += ["declaration", ""]

            def document(text):
                parser, read = expat.ParserCreate(), [""]
                def data(data): read[-1] += data
                parser.CharacterDataHandler = data
                parser.StartElementHandler = lambda tag, attributes: read.extend([tag, *map(str, attributes.items()), ""])
                parser.EndElementHandler = lambda tag: read.extend(["/" + tag, ""])
                parser.Parse(text.encode(), True)
                return read

            failures, cases = 0, json.load(open(sys.argv[1]))
            for case in cases:
                text, html, xml = case["text"], case["html"], case["xml"]
                page = Page(f'<p title="{html}">{html}</p><a title=\\'{html}\\'>{html}</a>').read
                legal = re.sub("[\\0-\\x08\\x0B\\x0C\\x0E-\\x1F\\uFFFE\\uFFFF]", "\\uFFFD", text)
                wanted = ["", "p", str(("title", text)), text, "/p", "", "a", str(("title", text)), text, "/a", ""]
                if page != wanted or document(f'<a b="{xml}">{xml}</a>') != ["", "a", str(("b", legal)), legal, "/a", ""]:
                    failures += 1
                    print(ascii(text))
            sys.exit(failures > 0 or not cases)
            """
        try await withTemporaryDirectory { directory in
            let cases = Self.texts.map { text in
                JSONNode.object([
                    "text": .string(text), "html": .string(text.escapedForHTML), "xml": .string(text.escapedForXML),
                ])
            }
            try JSONNode.array(cases).json().write(toFile: directory + "/cases", atomically: true, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["python3", "-c", program, directory + "/cases"]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(text.prefix(2_000))")
        }
    }

    private static let hasPython =
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/python3")
        }

    /// A comment has one line without the delimiters of block comments, and readers see all its scalars.
    @Test func commentStaysAComment() {
        for text in Self.texts {
            let scalars = Array("\n * \(text.escapedForComment)\n".unicodeScalars)
            let pairs = zip(scalars, scalars.dropFirst())
            #expect(!pairs.contains { $0 == ("*", "/") || $0 == ("/", "*") }, "\(Array(text.unicodeScalars))")
            #expect(scalars.dropFirst().dropLast().allSatisfy { $0 == "\t" || !$0.isUnsafeToDisplay })
            #expect(text.commentLines.allSatisfy { same($0, $0.escapedForComment) })
        }
        #expect("*/\u{FF9E} a /*\u{301}\u{202E}*/".escapedForComment == "* /\u{FF9E} a / *\u{301}\\u{202E}* /")
        #expect("a\r\nb\u{2028}c\u{B}\u{85}d".commentLines == ["a", "b", "c", "d"])
    }

    /// No quote is hidden in a `Character`, and no scalar is invisible.
    @Test func literalShowsItsQuotes() {
        for text in Self.texts {
            for literal in [text.quotedForSwift, text.quotedForKotlin, text.quotedForJavaScript, text.quotedForYAML] {
                #expect(literal.first == "\"" && literal.last == "\"" && literal.count >= 2, "\(literal)")
                // Swift has no escapes for U+FDD0 to U+FDEF.
                let unsafe = literal.unicodeScalars.filter(\.isUnsafeToDisplay)
                #expect(unsafe.allSatisfy { (0xFDD0...0xFDEF).contains($0.value) }, "\(literal)")
            }
            #expect(!text.quotedForJavaScript.utf8.contains(UInt8(ascii: "<")))
        }
    }

    @Test(arguments: [
        ("ΐ", "ΐ", "ΐ"), ("ǰ", "ǰ", "ǰ"), ("İ", "İ", "İ"), ("ß", "SS", "ß"), ("Éa_1", "ÉA_1", "éa_1"),
        // Its upper case is of Unicode 11.
        ("\u{10D0}", "\u{10D0}", "\u{10D0}"),
    ]) func caseOfANameIsOfNames(_ text: String, _ upper: String, _ lower: String) {
        #expect(same(text.uppercasedInNames, upper) && same(text.lowercasedInNames, lower))
    }

    @Test func keywordsAreQuotedAsNames() {
        #expect("class".nameInSwift == "`class`" && "value".nameInSwift == "value")
        #expect("fun".nameInKotlin == "`fun`" && "com.in.app".packageInKotlin == "com.`in`.app")
    }

    @Test func cellOfMarkdownIsOneCell() {
        #expect("a|\u{301}b\u{2028}c\r\n".escapedForMarkdownCell == "a\\|\u{301}b c  ")
    }

    /// Between single quotes, a shell takes every byte literally except the quote.
    @Test func shellQuotingYieldsOneWord() {
        for text in Self.texts {
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
            // No word contains a NUL.
            let meant = text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : String($0) }.joined()
            #expect(!isQuoted && read == Array(meant.utf8))
        }
    }

    @Test func prometheusLabelRoundTrips() {
        for text in Self.texts {
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
        for text in Self.texts {
            let shown = text.escapedForTerminal
            #expect(shown.unicodeScalars.allSatisfy { $0 == "\t" || !$0.isUnsafeToDisplay })
            #expect(same(shown.escapedForTerminal, shown))
        }
        #expect("a\u{9B}31m\n\u{202E}\tb é".escapedForTerminal == "a\\u{9B}31m\\u{A}\\u{202E}\tb é")
    }

    @Test func jsonForATerminalMeansTheSame() throws {
        let limits = JSONReader.Limits(maximumBytes: 1 << 20)
        for text in Self.texts {
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
