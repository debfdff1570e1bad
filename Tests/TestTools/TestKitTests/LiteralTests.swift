import Foundation
import LinkCatalog
import LinkRouting
import TestKit
import TestSupport
import Testing
import Yams

/// Texts of a suite never end their literal, their comment or their word, and arrive byte for byte.
struct LiteralTests {
    private static let texts =
        HostileTexts.combinations + HostileTexts.joined + HostileTexts.random(500, seed: 1) + [
            "", String(repeating: "🧪\"'$", count: 1_100),
        ]

    private func same(_ one: String?, _ other: String) -> Bool { one.map { $0.isExactly(other) } ?? false }

    /// A scalar is the text, and a comment is nothing.
    @Test func scalarOfYAMLIsTheText() throws {
        // Yams drops a U+FEFF at the beginning of a scalar.
        let texts = Self.texts.filter { $0.unicodeScalars.first != "\u{FEFF}" }
        let lines = texts.flatMap { text in
            ["# \(text.escapedForComment)", "- [\(text.quotedForYAML), y] # \(text.escapedForComment)"]
        }
        let read = try #require(try Yams.compose(yaml: lines.joined(separator: "\n") + "\n")?.sequence)
        #expect(read.count == texts.count)
        for (text, node) in zip(texts, read) {
            #expect(node.sequence?.count == 2)
            #expect(same(node.sequence?.first?.scalar?.string, text), "\(Array(text.unicodeScalars))")
        }
    }

    /// Reads a literal as the compilers do.
    private func read(_ literal: String, isKotlin: Bool) throws -> String {
        var units: [UInt16] = []
        let scalars = Array(literal.unicodeScalars)
        try #require(scalars.count >= 2 && scalars.first == "\"" && scalars.last == "\"")
        var index = 1
        while index < scalars.count - 1 {
            let scalar = scalars[index]
            index += 1
            #expect(scalar != "\"" && scalar != "\n" && scalar != "\r" && !(isKotlin && scalar == "$"))
            // Swift has no escapes for U+FDD0 to U+FDEF.
            #expect(!scalar.isUnsafeToDisplay || !isKotlin && (0xFDD0...0xFDEF).contains(scalar.value))
            guard scalar == "\\" else {
                units += String(scalar).utf16
                continue
            }
            let escape = scalars[index]
            index += 1
            switch escape {
            case "n": units.append(0x0A)
            case "r": units.append(0x0D)
            case "t": units.append(0x09)
            case "\"", "\\": units += String(escape).utf16
            case "$" where isKotlin: units += "$".utf16
            case "u" where isKotlin:
                units.append(
                    try #require(UInt16(String(String.UnicodeScalarView(scalars[index..<(index + 4)])), radix: 16))
                )
                index += 4
            case "u":
                let end = try #require(scalars[index...].firstIndex(of: "}"))
                let value = try #require(
                    UInt32(String(String.UnicodeScalarView(scalars[(index + 1)..<end])), radix: 16)
                )
                units += String(try #require(Unicode.Scalar(value))).utf16
                index = end + 1
            default: Issue.record("\\\(escape) is no escape")
            }
        }
        return String(decoding: units, as: UTF16.self)
    }

    @Test(arguments: [false, true]) func literalIsTheText(_ isKotlin: Bool) throws {
        for text in Self.texts {
            let literal = isKotlin ? text.quotedForKotlin : text.quotedForSwift
            #expect(same(try read(literal, isKotlin: isKotlin), text), "\(literal)")
        }
    }

    /// The local shell, adb, which joins its arguments, and the shell of the device read the text in turn.
    @Test func textPassesTwoShells() throws {
        let texts = HostileTexts.joined + HostileTexts.random(50, seed: 3)
        // A word has at most 128 KiB.
        for start in stride(from: 0, to: texts.count, by: 20) {
            let texts = texts[start..<min(start + 20, texts.count)]
            let inner = texts.map { "printf '%s\\0' \($0.quotedForShell) # \($0.escapedForComment)" }
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            // `sh -c "$*"` is what adb and the device do with the words that the local shell passes on.
            let word = inner.joined(separator: "\n").quotedForShell
            process.arguments = ["-c", "adb() { shift; sh -c \"$*\"; }\nadb shell \(word)"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let read = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            // No word contains a NUL.
            let words = texts.map { text in text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : String($0) }.joined() }
            #expect(read.map { Array($0) } == words.map { Array($0.utf8) })
        }
    }

    @Test func expressionMatchesOnlyTheText() throws {
        for text in HostileTexts.joined + HostileTexts.random(200, seed: 4) {
            let expression = try NSRegularExpression(pattern: "^" + text.escapedForRegularExpressions + "$")
            let range = NSRange(text.startIndex..., in: text)
            #expect(expression.firstMatch(in: text, range: range)?.range == range || text.isEmpty, "\(text)")
        }
        #expect("a.b".escapedForRegularExpressions == "a\\.b")
    }

    /// Parts of links: delimiters, some with a mark that hides them.
    private static let parts =
        [
            "\"", "'", "\\", "$", "${x}", "`id`", "\n", "\r", "\t", "*/", "/*", "//", "\"\"\"", "\\(1)", "#", ": ",
            "- ", "|",
            "&", ";", "$(id)", "%", "é", "e\u{301}", "日本", "🧪", "\u{202E}", "\u{200F}", "שלום", "\u{2028}", "\u{85}",
            "\u{FEFF}", "a", "~", " ", "{", "}", "\u{1F468}\u{200D}\u{1F469}",
        ]
        + ["\u{301}", "\u{FF9E}", "\u{600}", "\u{200D}"].flatMap { mark in
            ["*/", "/*", "\"", "'", "$"].map { $0.unicodeScalars.map { "\(mark)\($0)\(mark)" }.joined() }
        }

    /// Values that a link can carry, and texts that only a comment shows.
    static func hostileSuite() -> (table: String, suite: String) {
        let table = """
            formatVersion: 1
            tenant: t
            settings:
              schemes: [acme]
              domains: [{host: www.acme.example, serves: association}]
              apps:
                - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme.app}
                - {id: android, platform: android, package: com.acme.app, fingerprints: ["14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"]}
            table:
              routes:
                - {id: r, path: "/r/{text}", open: {screen: "Class", arguments: {text: "{text}"}}}
                - {id: s, path: "/s/{text}", open: {screen: "a\\"b */ ${x}", arguments: {"in\\"it": "{text}", self: 1}}}
            """
        let links =
            parts.map { "acme://r/x\($0)y" }
            + parts.map { part in
                "https://www.acme.example/s/"
                    + part.utf8.map { byte in "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
            } + [
                "acme://r/" + String(repeating: "k", count: 10_000), "acme://r/" + String(repeating: "é", count: 3_000),
            ]
        let cases = links.map { "  - {link: \($0.quotedForYAML), expect: {tenant: t}}" }
        // The expectations are not compared here.
        return (table, "formatVersion: 1\nsuite: \"*/ \\\" hostile\"\ncases:\n" + cases.joined(separator: "\n") + "\n")
    }

    @Test func hostileSuiteStaysInItsLiterals() throws {
        let (tableText, suiteText) = Self.hostileSuite()
        let table = try Example.table(tableText)
        let folder = ProcessInfo.processInfo.environment["HOSTILE_OUT"]
        for platform in [Platform.ios, .android] {
            let suite = try Example.suite(suiteText, of: table, platform)
            #expect(suite.cases.count > 40 && !suite.untested.isEmpty)
            if platform == .ios, let folder {
                let path = "\(folder)/\(XCUITestFile.identifiersName)"
                try XCUITestFile.identifiers(suite).write(toFile: path, atomically: true, encoding: .utf8)
            }
            for kind in TestPlan.Kind.allCases {
                let maestro = try #require(MaestroFile(suite, kind).text)
                let flow = try #require(try Array(Yams.compose_all(yaml: maestro)).last)
                let opened =
                    flow.sequence?.compactMap { $0.mapping?["runFlow"]?.mapping?["commands"]?.sequence }
                    .flatMap { $0.compactMap { $0.mapping?["openLink"]?.scalar?.string } } ?? []
                let tests = TestPlan(kind, of: suite, using: .maestro).tests
                #expect(opened.count == tests.count)
                for (text, test) in zip(opened, tests) { #expect(same(text.evaluatedByMaestro, test.one.link)) }
                let code =
                    platform == .ios ? XCUITestFile(suite, kind).text : UIAutomatorFile(suite, kind, package: nil).text
                let text = try #require(code)
                #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !$0.isUnsafeToDisplay })
                if let folder {
                    let name = platform == .ios ? XCUITestFile.name(suite, kind) : UIAutomatorFile.name(suite, kind)
                    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
                }
            }
        }
    }
}

extension String {
    /// What Maestro makes of a text: `${…}` is a script, and a backslash before it makes it text.
    fileprivate var evaluatedByMaestro: String {
        func replaced(_ text: String, _ pattern: String, _ template: String) -> String {
            guard let expression = try? NSRegularExpression(pattern: pattern) else { return "" }
            let range = NSRange(text.startIndex..., in: text)
            return expression.stringByReplacingMatches(in: text, range: range, withTemplate: template)
        }
        return replaced(replaced(self, #"(?<!\\)\$\{[^$]*\}"#, "SCRIPT"), #"\\(\$\{[^$]*\})"#, "$1")
    }
}
