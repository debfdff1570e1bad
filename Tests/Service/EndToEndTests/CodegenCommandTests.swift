import Foundation
import LinkRouting
import TestSupport
import Testing

/// `fingerpost codegen` puts texts of a table, which other people wrote, into comments of the source code of an app.
@Suite(.timeLimit(.minutes(15)))
struct CodegenCommandTests {
    /// Each note ends a block comment with a delimiter that is half of a `Character`, and begins another.
    private static let notes: [String] =
        [
            "*/\u{FF9E}; type \u{FF9E} = any; require(\"fs\").writeFileSync(\"PWNED\", \"by a note\"); type Z = /*\u{FF9E} ",
            "*/ object Pwned /*", "*/*/*//*/*/ object Pwned /*",
        ]
        + HostileTexts.marks.flatMap { mark in
            ["*/\(mark) object Pwned /*\(mark)", "*\(mark)/ object Pwned", "\(mark)*/\(mark)*/ object Pwned"]
        }

    private static let name = "*/\u{FF9E} object Pwned /*\u{FF9E}"

    /// A table whose notes, and whose name of a screen, are those texts; or harmless texts of as many lines.
    private static func table(isHostile: Bool) -> JSONNode {
        func text(_ note: String) -> JSONNode {
            .string(isHostile ? note : note.commentLines.map { _ in "x" }.joined(separator: "\n"))
        }
        let screens = notes.enumerated().map { number, note in
            let argument = JSONNode.object(["type": .string("int?"), "note": text(note)])
            let screen = JSONNode.object(["note": text(note), "arguments": .object(["number": argument])])
            return JSONNode.Member("Screen\(number)", screen)
        }
        // A screen without a note and a route has its name in the comment.
        let name = JSONNode.Member(Self.name, .object([:]))
        return .object([
            "formatVersion": .int(1), "tenant": .string("coded"),
            "settings": .object(["schemes": .array([.string("coded")])]),
            "table": .object(["screens": JSONNode(.object(screens + [name])), "routes": .array([])]),
        ])
    }

    private func fingerpost(_ arguments: String, in directory: String) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let words = arguments.split(separator: " ").map(String.init)
        let result = try await runBeside(
            "sh",
            ["-c", #"cd "$0" && exec "$@" 2>&1 </dev/null"#, directory, tool] + words
        )
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    /// The code without its comments and empty lines, as the compilers read it: block comments nest, but not in TypeScript.
    private func withoutComments(_ code: String, areNested: Bool) throws -> String {
        let scalars = Array(code.unicodeScalars)
        var (read, depth, isLine, quote) = (String.UnicodeScalarView(), 0, false, nil as Unicode.Scalar?)
        var index = 0
        while index < scalars.count {
            let (scalar, next) = (scalars[index], index + 1 < scalars.count ? scalars[index + 1] : "\n")
            index += 1
            if let end = quote {
                read.append(scalar)
                if scalar == "\\" {
                    read.append(next)
                    index += 1
                } else if scalar == end {
                    quote = nil
                }
            } else if isLine {
                isLine = !["\n", "\r", "\u{2028}", "\u{2029}"].contains(scalar)
                if !isLine { read.append(scalar) }
            } else if (scalar, next) == ("/", "*"), depth == 0 || areNested {
                depth += 1
                index += 1
            } else if (scalar, next) == ("*", "/"), depth > 0 {
                depth -= 1
                index += 1
            } else if depth == 0 {
                isLine = (scalar, next) == ("/", "/")
                if isLine { continue }
                if ["\"", "`"].contains(scalar) { quote = scalar }
                read.append(scalar)
            }
        }
        #expect(depth == 0 && quote == nil, "a comment or a literal has no end")
        return String(read).split(separator: "\n").filter { !$0.utf8.allSatisfy { $0 == 0x20 } }.joined(separator: "\n")
    }

    @Test func noteOfATableStaysAComment() async throws {
        try await withTemporaryDirectory { directory in
            for (name, isHostile) in [("hostile", true), ("harmless", false)] {
                try Self.table(isHostile: isHostile).json().jsonEscapedForTerminal
                    .write(toFile: "\(directory)/\(name).json", atomically: true, encoding: .utf8)
            }
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let options = "--server http://127.0.0.1:\(server.adminPort) --key \(try #require(server.key))"
            let applied = try await fingerpost("apply -f hostile.json --tenant coded \(options)", in: directory)
            #expect(applied.status == 0, "\(applied.text)")
            for language in ["swift", "kotlin", "typescript"] {
                let hostile = try await fingerpost("codegen \(language) hostile.json", in: directory)
                let harmless = try await fingerpost("codegen \(language) harmless.json", in: directory)
                #expect(hostile.status == 0 && harmless.status == 0, "\(hostile.text)\n\(harmless.text)")
                let published = try await fingerpost("codegen \(language) --tenant coded \(options)", in: directory)
                #expect(published.text == hostile.text)
                #expect(
                    hostile.text.unicodeScalars.allSatisfy {
                        "\n\t".unicodeScalars.contains($0) || !$0.isUnsafeToDisplay
                    }
                )
                let areNested = language != "typescript"
                let code = try withoutComments(hostile.text, areNested: areNested)
                #expect(code == (try withoutComments(harmless.text, areNested: areNested)), "\(language)")
                // Only the literals of the screen's name have its text.
                let named = code.ranges(of: "object Pwned").count
                #expect(
                    named > 0
                        && named == code.ranges(of: Self.name.quotedForSwift).count
                            + code.ranges(of: Self.name.quotedForKotlin).count
                )
            }
        }
    }
}
