import Foundation
import LinkRouting
import TestSupport
import Testing

/// Writes a program of Swift and one of Kotlin that compare literals with their bytes, among comments of the same texts.
/// They fail if a literal is another text, or if a comment contains one of the calls. Tests/TestKit/run.sh runs them.
struct LiteralProgramTests {
    private static let folder = ProcessInfo.processInfo.environment["HOSTILE_OUT"]
    private static let texts = HostileTexts.joined + HostileTexts.random(300, seed: 5)
    /// Compilers limit the size of a function.
    private static let parts = stride(from: 0, to: texts.count, by: 50).map { texts[$0..<min($0 + 50, texts.count)] }
    private static let calls = parts.indices.map { "    part\($0)()" }

    private static let isWanted: ConditionTrait = .enabled(
        if: folder != nil,
        "HOSTILE_OUT names no folder for the programs, which need compilers; './dev check --full TestKit' sets it."
    )

    private func functions(_ keyword: String, _ quoted: (String) -> String) -> [String] {
        Self.parts.enumerated().flatMap { number, texts in
            let calls = texts.map { text in
                let hex = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let comment = text.escapedForComment
                return "    /* \(comment) */ same(\(quoted(text)), \"\(hex)\") // \(comment)"
            }
            return ["/**"] + texts.flatMap(\.commentLines).map { " * \($0)" }
                + [" */", "\(keyword) part\(number)() {"] + calls + ["}"]
        }
    }

    private func write(_ lines: [String], to name: String) throws {
        let folder = try #require(Self.folder) + "/literals"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try (lines.joined(separator: "\n") + "\n").write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }

    @Test(isWanted) func swift() throws {
        let head = """
            var count = 0
            func same(_ text: String, _ hex: String) {
                count += 1
                let read = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                precondition(read == hex, hex)
            }
            """
        let tail = """
            precondition(count == \(Self.texts.count), "a comment contains a call")
            print("Swift: \\(count) literals read")
            """
        try write([head] + functions("func", \.quotedForSwift) + Self.calls + [tail], to: "main.swift")
    }

    @Test(isWanted) func kotlin() throws {
        let head = """
            var count = 0
            fun same(text: String, hex: String) {
                count += 1
                check(text.toByteArray().joinToString("") { "%02x".format(it) } == hex) { hex }
            }
            """
        let tail = """
                check(count == \(Self.texts.count)) { "a comment contains a call" }
                println("Kotlin: $count literals read")
            }
            """
        let lines = [head] + functions("fun", \.quotedForKotlin) + ["fun main() {"] + Self.calls + [tail]
        try write(lines, to: "Literals.kt")
    }
}
