import LinkRouting
import TestSupport
import Testing

struct JSONWriterTests {
    @Test func commasStandBetweenElements() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.int(1)
        writer.int(UInt64.max)
        writer.beginArray()
        writer.endArray()
        writer.null()
        writer.endArray()
        writer.member("b", "x")
        writer.member("c", String?.none)
        writer.member("d", Int?(7))
        writer.member("e", true)
        writer.key("f")
        writer.number("1.50")
        writer.endObject()
        #expect(writer.text == #"{"a":[1,18446744073709551615,[],null],"b":"x","d":7,"e":true,"f":1.50}"#)
    }

    @Test func prettyTextIsIndentedByTwo() throws {
        let node = try Fixture.json(#"{"a":[1,{"b":null}],"c":{},"d":[]}"#)
        #expect(
            node.json(.pretty) == """
                {
                  "a": [
                    1,
                    {
                      "b": null
                    }
                  ],
                  "c": {},
                  "d": []
                }
                """
        )
    }

    /// A key with its value is written in one step, and the same as both one after the other.
    @Test(arguments: [JSONWriter.Layout.compact, .pretty]) func membersAreKeysAndValues(_ layout: JSONWriter.Layout) {
        var (members, keys) = (JSONWriter(layout), JSONWriter(layout))
        members.beginObject()
        keys.beginObject()
        for _ in 0..<2 {
            for number in [0, -1, 300, Int64.max] {
                members.member("number", number)
                keys.key("number")
                keys.int(number)
            }
            for flag in [true, false] {
                members.member("flag", flag)
                keys.key("flag")
                keys.bool(flag)
            }
            for text in ["", "plain", "with \"escapes\"", "é", String(repeating: "long ", count: 200)] {
                members.member("text", text)
                keys.key("text")
                keys.string(text)
                keys.key(escaping: text)
                keys.null()
                members.key(escaping: text)
                members.null()
            }
            members.beginArray(key: "list")
            keys.key("list")
            keys.beginArray()
            for isEmpty in [true, false] {
                members.beginObject()
                keys.beginObject()
                members.beginObject(key: "object")
                keys.key("object")
                keys.beginObject()
                if !isEmpty {
                    members.member("last", 1)
                    keys.key("last")
                    keys.int(1)
                }
                members.endObject()
                keys.endObject()
                members.endObject()
                keys.endObject()
            }
            members.endArray()
            keys.endArray()
        }
        members.endObject()
        keys.endObject()
        #expect(members.text == keys.text)
        #expect(throws: Never.self) {
            try JSONReader.parse(
                members.text,
                limits: JSONReader.Limits(maximumBytes: 100_000),
                duplicateKeys: .keep
            )
        }
    }

    @Test(arguments: [
        ("", #""""#), ("\"\\/", #""\"\\/""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
        ("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""),
        ("é🎟\u{2028}", "\"é🎟\u{2028}\""), ("a\"b\\c", #""a\"b\\c""#),
    ]) func onlyWhatMustBeIsEscaped(_ text: String, _ json: String) throws {
        #expect(JSONNode.string(text).json() == json)
        #expect(try Fixture.json(json).text == text)
    }

    /// Texts are copied in words, so an escape may be needed in any byte of a word, or in bytes that two words share.
    @Test(arguments: [0x00, 0x1F, 0x22, 0x5C, 0x20, 0x21, 0x7F, 0x80, 0xFF] as [UInt32])
    func escapeIsFoundAtEveryPlace(_ value: UInt32) throws {
        let odd = Character(try #require(Unicode.Scalar(value)))
        for length in 0..<20 {
            for place in 0...length {
                var text = String(repeating: "a", count: length)
                text.insert(odd, at: text.index(text.startIndex, offsetBy: place))
                let quoted = "\"" + text.flatMap(Self.escaped) + "\""
                var writer = JSONWriter()
                writer.beginObject()
                writer.key(escaping: text)
                writer.string(text)
                writer.member("m", text)
                writer.endObject()
                #expect(writer.text == "{\(quoted):\(quoted),\"m\":\(quoted)}", "\(length) \(place)")
                #expect(writer.bytes == Array(writer.text.utf8) && writer.byteCount == writer.bytes.count)
                let bytes = writer.bytes
                #expect(try Fixture.json(writer.text).members?.map(\.value.text) == [text, text])
                #expect(writer.finish() == bytes)
            }
        }
    }

    /// Keys are copied in words as well.
    @Test func keyOfEveryLengthIsCopied() {
        let keys: [StaticString] = [
            "", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmno",
            "abcdefghijklmnop", "abcdefghijklmnopq",
        ]
        for layout in [JSONWriter.Layout.compact, .pretty] {
            var writer = JSONWriter(layout)
            for key in keys {
                writer.beginObject()
                writer.key(key)
                writer.null()
                writer.member(key, "x")
                writer.member(key, plainBytes: 3) { text in for place in 0..<3 { text[place] = UInt8(ascii: "y") } }
                writer.endObject()
                writer.endLine()
            }
            let lines = keys.map { key in
                layout == .compact
                    ? "{\"\(key)\":null,\"\(key)\":\"x\",\"\(key)\":\"yyy\"}\n"
                    : "{\n  \"\(key)\": null,\n  \"\(key)\": \"x\",\n  \"\(key)\": \"yyy\"\n}\n"
            }
            #expect(writer.text == lines.joined())
        }
    }

    /// RFC 8259 §7, with the short forms.
    private static func escaped(_ character: Character) -> String {
        switch character {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\u{0}": "\\u0000"
        case "\u{1F}": "\\u001f"
        default: String(character)
        }
    }

    /// The smallest and the largest of each number of digits.
    private static let integers: [Int64] = {
        var integers: [Int64] = [.max, .min, 7]
        var power: Int64 = 1
        for _ in 1...18 {
            integers += [power, power - 1, -power, 1 - power]
            power *= 10
        }
        return integers
    }()

    @Test(arguments: integers)
    func integersAreWhole(_ number: Int64) {
        var writer = JSONWriter()
        writer.beginArray()
        writer.int(number)
        writer.int(number)
        writer.endArray()
        #expect(writer.text == "[\(number),\(number)]")
    }

    @Test func writerRestarts() {
        var writer = JSONWriter(.compact, reservingCapacity: 64)
        for number in 0..<2 {
            writer.removeAll()
            writer.beginArray()
            writer.int(number)
            writer.endArray()
        }
        #expect(writer.text == "[1]")
    }

    @Test func writtenNodesAreReadBackTheSame() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<1_000 {
            let node = Self.node(&random, depth: 0)
            #expect(try Fixture.json(node.json()) == node)
            #expect(try Fixture.json(node.json(.pretty)) == node)
        }
    }

    private static func node(_ random: inout SeededGenerator, depth: Int) -> JSONNode {
        switch random.below(depth > 4 ? 4 : 6) {
        case 0: return .null
        case 1: return .bool(random.chance(50))
        case 2: return .int(Int64(bitPattern: random.next()))
        case 3:
            return .string(
                String(
                    String.UnicodeScalarView(
                        (0..<random.below(9)).map { _ in random.pick(Array("a\"\\\n\u{1}é🎟/".unicodeScalars)) }
                    )
                )
            )
        case 4: return .array((0..<random.below(4)).map { _ in node(&random, depth: depth + 1) })
        default:
            return JSONNode(
                .object((0..<random.below(4)).map { JSONNode.Member("k\($0)", node(&random, depth: depth + 1)) })
            )
        }
    }
}
