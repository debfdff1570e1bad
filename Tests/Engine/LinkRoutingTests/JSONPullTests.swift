import LinkRouting
import TestSupport
import Testing

/// Reading value by value gives what reading as a tree gives: the same nodes with the same positions, or the same error.
struct JSONPullTests {
    private static let limits = JSONReader.Limits(maximumBytes: 1_000, maximumDepth: 8, maximumValues: 100)

    private static let documents = [
        "{}", "[]", "1", "[{}, [], {\"a\": []}]", #"{"url": "https://a.example/é", "context": {"platform": "ios"}}"#,
        " {\n\"a\" : [ 1 , -2.5e3,true ],\n \"b\\n\":null,\"é\" : {\"a\":{\"a\":\"\\ud83d\\ude00\"}} } ",
        "{" + (0..<20).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}",
        "{" + (0..<20).map { "\"k\($0 % 19)\":\($0)" }.joined(separator: ",") + "}",
        String(repeating: "[", count: 9) + String(repeating: "]", count: 9),
        "[" + String(repeating: "0,", count: 120) + "0]",
    ]

    @Test(arguments: documents) func pulledValuesAreThoseOfTheTree(_ document: String) {
        expectSame(Array(document.utf8))
    }

    /// Each document with each of its bytes removed, and replaced by others.
    @Test(arguments: documents) func mistakesAreThoseOfTheTree(_ document: String) {
        let bytes = Array(document.utf8)
        for place in bytes.indices {
            expectSame(Array(bytes[..<place]))
            expectSame(Array(bytes[..<place] + bytes[(place + 1)...]))
            for other in ["{", "}", "[", "]", ",", ":", "\"", "\\", "#", "x"] {
                expectSame(Array(bytes[..<place] + Array(other.utf8) + bytes[(place + 1)...]))
            }
            expectSame(Array(bytes[..<place] + [0xFF] + bytes[(place + 1)...]))
        }
    }

    @Test func syntaxErrorTakesPrecedence() {
        struct Refusal: Error {}
        func read(_ text: String) throws {
            try Array(text.utf8).withUnsafeBufferPointer { bytes in
                try JSONReader.read(bytes, limits: Self.limits) { reader in
                    var object = try reader.beginObject()
                    _ = try reader.nextKey(of: &object)
                    throw Refusal()
                }
            }
        }
        #expect(throws: Refusal.self) { try read(#"{"a": 1, "b": 2}"#) }
        #expect(throws: JSONSyntaxError.self) { try read(#"{"a": 1, "b": 2"#) }
        #expect(throws: JSONSyntaxError.self) { try read(#"{"a": 1, "a": 2}"#) }
    }

    private func expectSame(_ bytes: [UInt8]) {
        let tree = Result { () throws(JSONSyntaxError) in try JSONReader.parse(bytes, limits: Self.limits) }
        let pulled: Result<JSONNode, any Error> = Result {
            try bytes.withUnsafeBufferPointer { try JSONReader.read($0, limits: Self.limits, Self.pull) }
        }
        let text = Comment(rawValue: String(decoding: bytes, as: UTF8.self))
        switch (tree, pulled) {
        case (.success(let tree), .success(let pulled)):
            #expect(tree == pulled, text)
            #expect(positions(tree) == positions(pulled), text)
        case (.failure(let tree), .failure(let pulled)): #expect(tree == pulled as? JSONSyntaxError, text)
        default: Issue.record("\(text): \(tree) and \(pulled)")
        }
    }

    /// Reads any value by the functions for objects and lists.
    private static func pull(_ reader: inout JSONReader) throws -> JSONNode {
        let position = reader.position
        if reader.isObject {
            var members: [JSONNode.Member] = []
            var object = try reader.beginObject()
            while let key = try reader.nextKey(of: &object) {
                let text = key.text
                members.append(JSONNode.Member(text, try pull(&reader)))
            }
            return JSONNode(.object(members), at: position)
        }
        guard reader.isList else { return try reader.node() }
        var elements: [JSONNode] = []
        var list = try reader.beginList()
        while try reader.hasElement(in: &list) { elements.append(try pull(&reader)) }
        return JSONNode(.array(elements), at: position)
    }

    private func positions(_ node: JSONNode) -> [JSONNode.Position] {
        let inner = node.elements ?? node.members?.map(\.value) ?? []
        return [node.position] + inner.flatMap(positions)
    }
}

/// Texts are scanned and copied in words, so whatever ends a run of plain bytes may be in any byte of a word.
struct JSONTextTests {
    /// The bytes of a piece of a text, and what it means; nil if it makes the text invalid.
    private static let pieces: [(bytes: [UInt8], meaning: String?)] = [
        (Array(#"\n"#.utf8), "\n"), (Array(#"\""#.utf8), "\""), (Array(#"\\"#.utf8), "\\"), (Array(#"\/"#.utf8), "/"),
        (Array(#"\u0000"#.utf8), "\0"), (Array(#"\u00e9"#.utf8), "é"), (Array(#"\ud83d\ude00"#.utf8), "😀"),
        (Array(#"\ud83d"#.utf8), nil), (Array(#"\ude00"#.utf8), nil), (Array(#"\ud83d\u0041"#.utf8), nil),
        (Array(#"\x"#.utf8), nil), (Array(#"\u00g0"#.utf8), nil), (Array("é".utf8), "é"), (Array("€".utf8), "€"),
        (Array("😀".utf8), "😀"), ([0x7F], "\u{7F}"), ([0x20], " "), ([0x1F], nil), ([0x00], nil), ([0x0A], nil),
        ([0x80], nil), ([0xFF], nil), ([0xC0, 0x80], nil), ([0xC1, 0xBF], nil), ([0xE0, 0x80, 0x80], nil),
        ([0xED, 0xA0, 0x80], nil), ([0xE2, 0x82], nil), ([0xF0, 0x9F, 0x98], nil), ([0xF4, 0x90, 0x80, 0x80], nil),
        ([0xF5, 0x80, 0x80, 0x80], nil),
    ]

    @Test(arguments: pieces.indices) func pieceIsReadAtEveryPlace(_ piece: Int) throws {
        let (bytes, meaning) = Self.pieces[piece]
        let limits = JSONReader.Limits(maximumBytes: 1_000)
        for length in 0...20 {
            for place in 0...length {
                let (before, after) = (
                    String(repeating: "a", count: place), String(repeating: "b", count: length - place)
                )
                let text = [UInt8(ascii: "\"")] + Array(before.utf8) + bytes + Array(after.utf8) + [UInt8(ascii: "\"")]
                let expected = meaning.map { before + $0 + after }
                let value = try? JSONReader.parse(text, limits: limits).text
                #expect(value == expected, "\(length) \(place)")
                // As a key, which is compared in place.
                let object = Array("{".utf8) + text + Array(":1}".utf8)
                let key = try? JSONReader.parse(object, limits: limits).members?.first?.key
                #expect(key == expected, "\(length) \(place)")
            }
        }
    }

    @Test func everyKeyOfAContextIsFound() throws {
        for key in LinkContext.Key.allCases {
            #expect(try Self.key(#"{"\#(key.rawValue)":0}"#) == key)
            let first = String(try #require(key.rawValue.utf8.first), radix: 16)
            #expect(try Self.key(#"{"\u00\#(first)\#(key.rawValue.dropFirst())":0}"#) == key)
            #expect(try Self.key(#"{"\#(key.rawValue)s":0}"#) == nil)
            #expect(try Self.key(#"{"\#(key.rawValue.dropLast())":0}"#) == nil)
        }
    }

    private static func key(_ text: String) throws -> LinkContext.Key? {
        try Array(text.utf8).withUnsafeBufferPointer { bytes in
            try JSONReader.read(bytes, limits: JSONReader.Limits(maximumBytes: 100)) { reader in
                var object = try reader.beginObject()
                guard let name = try reader.nextKey(of: &object) else { return nil }
                let key = LinkContext.Key(name)
                _ = try reader.node()
                _ = try reader.nextKey(of: &object)
                return key
            }
        }
    }
}
