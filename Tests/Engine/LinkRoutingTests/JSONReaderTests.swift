import Foundation
import LinkRouting
import TestSupport
import Testing

struct JSONReaderTests {
    private static let limits = JSONReader.Limits(maximumBytes: 1_000, maximumValues: 300)

    struct Broken: CustomTestStringConvertible, Sendable {
        let bytes: [UInt8]
        let kind: JSONSyntaxError.Kind
        let line: Int
        let column: Int
        var testDescription: String { String(decoding: bytes, as: UTF8.self) }

        init(_ text: String, _ kind: JSONSyntaxError.Kind, _ line: Int, _ column: Int) {
            self.init(Array(text.utf8), kind, line, column)
        }

        init(_ bytes: [UInt8], _ kind: JSONSyntaxError.Kind, _ line: Int, _ column: Int) {
            (self.bytes, self.kind, self.line, self.column) = (bytes, kind, line, column)
        }
    }

    static let broken = [
        Broken("", .empty, 1, 1), Broken(" \n ", .empty, 2, 2),
        Broken(String(repeating: " ", count: 1_001), .tooLarge, 1, 1),
        Broken(String(repeating: "[", count: 33), .tooDeep, 1, 33),
        Broken("\u{FEFF}{}", .byteOrderMark, 1, 1),
        Broken([0xFF, 0xFE, 0x7B, 0], .notUTF8, 1, 1), Broken([0, 0x7B], .notUTF8, 1, 1),
        Broken([0x7B, 0, 0x7D, 0], .notUTF8, 1, 1),
        Broken(Array("[\"é".utf8) + [0xFF, 0x22, 0x5D], .notUTF8, 1, 4),
        Broken([0x22, 0xED, 0xA0, 0x80, 0x22], .notUTF8, 1, 2), Broken([0x22, 0xC0, 0xAF, 0x22], .notUTF8, 1, 2),
        Broken("<!doctype html>", .html, 1, 1),
        Broken("// a\n{}", .comment, 1, 1), Broken("[1, /* b */ 2]", .comment, 1, 5),
        Broken("[1 # c\n]", .comment, 1, 4),
        Broken("{'a': 1}", .singleQuote, 1, 2), Broken("['a']", .singleQuote, 1, 2),
        Broken("{a: 1}", .unquotedKey, 1, 2), Broken(#"{"appID":{TEAM_ID}.{BUNDLE_ID}"}"#, .unquotedKey, 1, 11),
        Broken("[1,]", .trailingComma, 1, 3), Broken("{\"é\": 1,\n\n}", .trailingComma, 1, 8),
        Broken("[1 2]", .missingComma, 1, 4), Broken("{\"a\": 1\n \"b\": 2}", .missingComma, 2, 2),
        Broken(#"["a" "*"]"#, .missingComma, 1, 6),
        Broken(#"{"a" 1}"#, .missingColon, 1, 6), Broken(#"{"a"}"#, .missingColon, 1, 5),
        Broken("[,1]", .missingValue, 1, 2), Broken("[1,,2]", .missingValue, 1, 4),
        Broken(#"{"a":}"#, .missingValue, 1, 6),
        Broken(#"{"a":1,,}"#, .missingValue, 1, 8), Broken("{,}", .missingValue, 1, 2),
        Broken("]", .missingValue, 1, 1),
        Broken("[1}", .wrongBracket, 1, 3), Broken(#"{"a":1]"#, .wrongBracket, 1, 7),
        Broken("[", .unexpectedEnd, 1, 2), Broken("[1", .unexpectedEnd, 1, 3), Broken("{", .unexpectedEnd, 1, 2),
        Broken(#"{"a":1"#, .unexpectedEnd, 1, 7), Broken(#"{"a":"#, .unexpectedEnd, 1, 6),
        Broken(#""a"#, .unexpectedEnd, 1, 3),
        Broken("\"\\", .unexpectedEnd, 1, 3), Broken("\"\\\"", .unexpectedEnd, 1, 4),
        Broken("[True]", .unexpectedCharacter, 1, 2), Broken("[None]", .unexpectedCharacter, 1, 2),
        Broken("undefined", .unexpectedCharacter, 1, 1), Broken("[a]", .unexpectedCharacter, 1, 2),
        Broken("[tru]", .unexpectedCharacter, 1, 2), Broken("é", .unexpectedCharacter, 1, 1),
        Broken("[\u{A0}1]", .unexpectedCharacter, 1, 2),
        Broken("01", .number, 1, 1), Broken("[-01]", .number, 1, 2), Broken("+1", .number, 1, 1),
        Broken("1.", .number, 1, 3),
        Broken(".5", .number, 1, 1), Broken("1e", .number, 1, 3), Broken("1e+", .number, 1, 4),
        Broken("-", .number, 1, 2),
        Broken("NaN", .number, 1, 1), Broken("-Infinity", .number, 1, 2), Broken("[0x10]", .number, 1, 2),
        Broken("[1_000]", .number, 1, 2), Broken("[1.2.3]", .number, 1, 2),
        Broken("\"a\u{1}\"", .controlCharacter, 1, 3), Broken("\"a\nb\"", .controlCharacter, 1, 3),
        Broken(#""é\x""#, .escape, 1, 3), Broken(#""\u12g4""#, .escape, 1, 2), Broken(#""\u12"#, .escape, 1, 2),
        Broken(#""\ud800""#, .loneSurrogate, 1, 2), Broken(#""a\udc00""#, .loneSurrogate, 1, 3),
        Broken(#""\ud800A""#, .loneSurrogate, 1, 2), Broken(#""\ud800\ud800""#, .loneSurrogate, 1, 2),
        Broken(#"{"a":1,"b":2,"a":3}"#, .duplicateKey, 1, 14), Broken(#"{"a":1,"\u0061":3}"#, .duplicateKey, 1, 8),
        Broken("{\"é\":1,\"e\u{301}\":2,\"é\":3}", .duplicateKey, 1, 15),
        Broken("[\n" + String(repeating: "0,", count: 300) + "0]", .tooManyValues, 2, 599),
        Broken("[\n" + String(repeating: "0,", count: 298) + #"{"a":0}]"#, .tooManyValues, 2, 598),
        Broken("1 2", .textAfterEnd, 1, 3), Broken("{}\n{}", .textAfterEnd, 2, 1), Broken("[]]", .textAfterEnd, 1, 3),
    ]

    @Test(arguments: broken) func brokenTextIsPlaced(_ broken: Broken) throws {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONReader.parse(broken.bytes, limits: Self.limits) }
        #expect(error?.kind == broken.kind)
        #expect(error?.line == broken.line)
        #expect(error?.column == broken.column)
        #expect(error?.message.hasSuffix(".") == true, "a message is a sentence")
    }

    /// A value that is skipped is checked like one that is read.
    @Test(arguments: broken) func skippedTextHasTheSameError(_ broken: Broken) throws {
        let read = #expect(throws: JSONSyntaxError.self) { try JSONReader.parse(broken.bytes, limits: Self.limits) }
        #expect(Self.errorOfSkipping(broken.bytes) == read)
    }

    private static func errorOfSkipping(_ bytes: [UInt8]) -> JSONSyntaxError? {
        do {
            try bytes.withUnsafeBufferPointer { try JSONReader.read($0, limits: limits) { try $0.skip() } }
            return nil
        } catch {
            return error as? JSONSyntaxError
        }
    }

    @Test func randomTextIsSkippedExactlyIfItIsRead() {
        var random = SeededGenerator(seed: 4)
        var accepted = 0
        for _ in 0..<5_000 {
            let text = Self.document(&random, depth: 0, ["1 2", "{", "]", "\"a\":1", "\"a\",", "-", "nul"])
            var read: JSONSyntaxError?
            do { _ = try JSONReader.parse(text, limits: Self.limits) } catch { read = error }
            #expect(Self.errorOfSkipping(Array(text.utf8)) == read, "\(text)")
            if read == nil { accepted += 1 }
        }
        #expect((1_000..<4_900).contains(accepted), "the generator makes texts of both kinds")
    }

    @Test func everyKindOfErrorIsTested() {
        #expect(Set(Self.broken.map(\.kind)) == Set(JSONSyntaxError.Kind.allCases))
    }

    @Test func errorCountsBytesToo() {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONReader.parse("[\n\"é\",]", limits: Self.limits) }
        #expect(error?.offset == 6)
        #expect(error?.description == "line 2, column 4: there is a comma after the last value; remove it.")
    }

    @Test func duplicateKeyNamesTheFirst() {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONReader.parse("{\"a\": 1,\n\"a\": 2}", limits: Self.limits)
        }
        #expect(error?.message == "duplicate key 'a', first at line 1, column 2; remove one.")
    }

    @Test func duplicateNamesALaterLineOfTheFirstInCharacters() {
        let text = "{\"b\":\"é\",\n \"é\":\"ö\",\"a\":1,\n\"a\":2}"
        let error = #expect(throws: JSONSyntaxError.self) { try JSONReader.parse(text, limits: Self.limits) }
        #expect(error?.message == "duplicate key 'a', first at line 2, column 10; remove one.")
    }

    @Test func duplicateIsFoundInALargeObject() throws {
        let members = (0..<40).map { "\"k\($0)\": \($0)" }
        for repeated in [0, 15, 16, 39] {
            let text = "{" + (members + ["\"k\(repeated)\": 0"]).joined(separator: ",") + "}"
            let error = #expect(throws: JSONSyntaxError.self) { try JSONReader.parse(text, limits: Self.limits) }
            #expect(error?.kind == .duplicateKey)
        }
        #expect(
            try JSONReader.parse("{" + members.joined(separator: ",") + "}", limits: Self.limits).members?.count == 40
        )
    }

    @Test func keptDuplicatesAreInOrderAndLookupReturnsTheLast() throws {
        let node = try JSONReader.parse(#"{"a":1,"a":2}"#, limits: Self.limits, duplicateKeys: .keep)
        #expect(node.members?.compactMap(\.value.int) == [1, 2])
        #expect(node["a"]?.int == 2)
    }

    @Test func everythingIsRead() throws {
        let text =
            #" {"a": [true, false, null, "x\"\\\/\b\f\n\r\té🎟\u00e9\uD83C\uDF9F"], "": {}, "n": [0, -0, 1.50, 1E+2, 12345678901234567890]} "#
        let node = try JSONReader.parse(text, limits: Self.limits)
        let expected = JSONNode.object([
            "a": .array([.bool(true), .bool(false), .null, .string("x\"\\/\u{8}\u{C}\n\r\té🎟é🎟")]),
            "": .object([:]),
            "n": .array(["0", "-0", "1.50", "1E+2", "12345678901234567890"].map { JSONNode(.number($0)) }),
        ])
        #expect(node == expected)
    }

    @Test func nodesKnowTheirPlaces() throws {
        let node = try JSONReader.parse("{\n  \"é\": [\"🎟\", 7]\n}", limits: Self.limits)
        let member = try #require(node.members?.first)
        #expect(member.keyPosition == JSONNode.Position(line: 2, column: 3))
        #expect(member.value.position == JSONNode.Position(line: 2, column: 8))
        #expect(member.value.elements?.map(\.position.column) == [9, 14])
    }

    @Test func numbersAreExact() throws {
        func node(_ text: String) throws -> JSONNode { try JSONReader.parse(text, limits: Self.limits) }
        #expect(try node("9223372036854775807").int == .max)
        #expect(try node("-9223372036854775808").int == .min)
        #expect(try node("9223372036854775808").int == nil)
        #expect(try node("1.0").int == nil)
        #expect(try node("0.1").double == 0.1)
        #expect(try node("1e400").double == nil)
    }

    @Test func depthIsBoundedForEveryRequest() throws {
        let deep = String(repeating: "[", count: 100_000)
        let limits = JSONReader.Limits(maximumBytes: 1_000_000, maximumDepth: .max)
        let error = #expect(throws: JSONSyntaxError.self) { try JSONReader.parse(deep, limits: limits) }
        #expect(error?.kind == .tooDeep)
        let nested = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        #expect(throws: Never.self) { try JSONReader.parse(nested, limits: limits) }
    }

    @Test func anyCollectionOfBytesIsRead() throws {
        #expect(try JSONReader.parse(Array("[1]".utf8).lazy.map { $0 }, limits: Self.limits).elements?.count == 1)
        #expect(try JSONReader.parse(Data("[1]".utf8), limits: Self.limits).elements?.count == 1)
        #expect(try JSONReader.parse(Array("x[1]".utf8).dropFirst(), limits: Self.limits).elements?.count == 1)
    }

    /// Foundation's reader accepts the same texts, with one exception: `[1, ]`, where it allows a comma and a space
    /// before the bracket.
    @Test func foundationAgrees() throws {
        var random = SeededGenerator(seed: 3)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-0", "0.5", "01", "1e3", "true", "null", "nul", " ",
            "\n",
            "\"\\n\"", "\"\\u0041\"", "\"\\x\"", "\"\u{1}\"", "'a'", "+1", "1.", "\"é\"",
        ]
        var accepted = 0
        for round in 0..<20_000 {
            let text =
                round.isMultiple(of: 2)
                ? (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
                : Self.document(&random, depth: 0, pieces)
            let ours = Result { () throws(JSONSyntaxError) in
                try JSONReader.parse(text, limits: Self.limits, duplicateKeys: .keep)
            }
            if case .failure(let error) = ours, error.kind == .trailingComma { continue }
            let theirs = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            let isAccepted = (try? ours.get()) != nil
            #expect(isAccepted == (theirs != nil), "\(text)")
            if isAccepted { accepted += 1 }
        }
        #expect(accepted > 3_000, "the generator makes enough texts that are JSON")
    }

    /// Random JSON, sometimes with a piece inserted that makes it invalid.
    private static func document(_ random: inout SeededGenerator, depth: Int, _ pieces: [String]) -> String {
        if random.chance(3) { return random.pick(pieces) }
        switch random.below(depth > 3 ? 4 : 6) {
        case 0: return random.pick(["1", "-0.5", "1e3", "true", "false", "null"])
        case 1, 2, 3: return random.pick(["\"a\"", "\"é\\n\"", "\"\"", "\"\\u00e9\""])
        case 4:
            return "["
                + (0..<random.below(4)).map { _ in document(&random, depth: depth + 1, pieces) }.joined(separator: ", ")
                + "]"
        default:
            return "{"
                + (0..<random.below(4)).map { "\"k\($0)\": " + document(&random, depth: depth + 1, pieces) }.joined(
                    separator: ","
                )
                + "}"
        }
    }
}
