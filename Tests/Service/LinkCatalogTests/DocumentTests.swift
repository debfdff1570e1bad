import LinkCatalog
import LinkRouting
import Testing

/// YAML and JSON texts as nodes: values keep the meaning that people intend, and hostile input cannot harm the reader.
struct DocumentTests {
    @Test(arguments: [
        ("a: no", JSONNode.string("no")),
        ("a: off", .string("off")),
        ("a: Yes", .string("Yes")),
        ("a: True", .string("True")),
        ("a: true", .bool(true)),
        ("a: false", .bool(false)),
        ("a: 'true'", .string("true")),
        ("a: 2.0", JSONNode(.number("2.0"))),
        ("a: 1.10", JSONNode(.number("1.10"))),
        ("a: 3.2.0", .string("3.2.0")),
        ("a: '2.0'", .string("2.0")),
        ("a: 12", .int(12)),
        ("a: -1", .int(-1)),
        ("a: 1e3", JSONNode(.number("1e3"))),
        ("a: 0123", .string("0123")),
        ("a: +5", .string("+5")),
        ("a: .5", .string(".5")),
        ("a: 1_000", .string("1_000")),
        ("a: 0x1F", .string("0x1F")),
        ("a: .inf", .string(".inf")),
        ("a: 02:00", .string("02:00")),
        ("a: 12:30:45", .string("12:30:45")),
        ("a: 2026-11-21", .string("2026-11-21")),
        ("a: 2026-11-21T10:00:00Z", .string("2026-11-21T10:00:00Z")),
        ("a: null", .null),
        ("a: ~", .null),
        ("a:", .null),
        ("a: Null", .string("Null")),
        ("a: ''", .string("")),
        ("a: \"x\\ty\"", .string("x\ty")),
        ("a: !!str 2.0", .string("2.0")),
        ("a: |\n  one\n  two\n", .string("one\ntwo\n")),
        ("a: >-\n  one\n  two\n", .string("one two")),
        ("a: [1, x]", .array([.int(1), .string("x")])),
        ("a: {b: c}", .object(["b": .string("c")])),
    ])
    func yamlScalarsKeepTheIntendedType(_ text: String, _ value: JSONNode) throws {
        #expect(try Document.read(text) == .object(["a": value]))
    }

    @Test(arguments: ["a: 1", "# comment\na: 1", #"{"a": 1}"#])
    func byteOrderMarkIsSkipped(_ text: String) throws {
        let node = try Document.read("\u{FEFF}" + text)

        #expect(try node == Document.read(text))
        #expect(try node.position == Document.read(text).position)
        #expect(try Document.readYAML("\u{FEFF}" + text) == node)
    }

    @Test func jsonIsReadAsJSON() throws {
        let node = try Document.read(" {\"a\": [1, \"no\", null], \"b\": {\"c\": 2.50}}")

        #expect(
            node
                == .object([
                    "a": .array([.int(1), .string("no"), .null]), "b": .object(["c": JSONNode(.number("2.50"))]),
                ])
        )
    }

    @Test func nodesKnowTheirLines() throws {
        let yaml = try Document.read("# a comment\na:\n  - x\n  - {b: [é, y]}\n")
        let json = try Document.read("{\n  \"a\": [\"x\",\n    {\"b\": [\"é\", \"y\"]}]\n}")

        for (node, line, column) in [(yaml, 4, 13), (json, 3, 17)] {
            let last = try #require(node["a"]?.elements?.last?["b"]?.elements?.last)
            #expect(last.text == "y")
            #expect(last.position.line == line)
            #expect(last.position.column == column)
        }
    }

    @Test func keysOfYAMLAreTexts() throws {
        #expect(
            try Document.read("1: a\ntrue: b\n2.0: c\n")
                == .object(["1": .string("a"), "true": .string("b"), "2.0": .string("c")])
        )
    }

    @Test func aliasStandsForItsAnchor() throws {
        let node = try Document.read("a: &web {web: x}\nb: *web\nc: [*web, *web]\n")

        let web = JSONNode.object(["web": .string("x")])
        #expect(node["b"] == web)
        #expect(node["c"] == .array([web, web]))
    }

    @Test func starsThatAreNoAliasesAreTexts() throws {
        let node = try Document.read("hosts: ['*.acme.link']\npath: /a/*/b\nnote: so *important* &c\n\"*a\": 1\n")

        #expect(node["path"]?.text == "/a/*/b")
        #expect(node["note"]?.text == "so *important* &c")
        #expect(node["*a"] == .int(1))
    }

    /// Nine lists of nine, each an alias of the previous one: a gigabyte of nodes from 500 bytes.
    @Test(arguments: [
        "z: *a9",
        "? *a9\n: z",
        "{*a9 : z}",
        "[[*a9] : z]",
        "? [x, {y: *a9}]\n: z",
    ])
    func multiplyingAliasesAreRefused(_ use: String) {
        var text = "a0: &a0 lol\n"
        for level in 1...9 {
            text += "a\(level): &a\(level) [\(repeatElement("*a\(level - 1)", count: 9).joined(separator: ", "))]\n"
        }
        if use.hasPrefix("{") || use.hasPrefix("[") { text += "last: \(use)\n" } else { text += use + "\n" }

        let error = #expect(throws: DocumentError.self) { try Document.read(text) }
        #expect(error?.message == (use == "z: *a9" ? Self.tooMuch : "A key must be a string; write 'key: value'."))
    }

    private static let tooMuch =
        "The document nests deeper than 64 levels, or its aliases expand too much; make it shorter."

    @Test func manyUsesOfOneAliasAreNotRefused() throws {
        let text = "a: &web {web: x}\nb:\n" + String(repeating: "  - *web\n", count: 20_000)

        #expect(try Document.read(text)["b"]?.elements?.count == 20_000)
    }

    @Test(arguments: ["a: ", "", "- "])
    func deepNestingIsRefused(_ start: String) {
        for depth in [65, 999, 1_001, 200_000] {
            let text = start + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(throws: DocumentError.self) { try Document.read(text) }
        }
        let block = (0..<70).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        #expect(throws: DocumentError.self) { try Document.read(block) }
    }

    @Test func nestingAsDeepAsAllowedIsRead() throws {
        let text = "a: " + String(repeating: "[", count: 62) + "x" + String(repeating: "]", count: 62)

        #expect(try Document.read(text)["a"] != nil)
    }

    @Test func tooLargeTextIsRefused() {
        let text = String(repeating: "a", count: Document.maximumBytes + 1)

        #expect(throws: DocumentError.self) { try Document.read(text) }
        #expect(throws: DocumentError.self) { try Document.read("[" + text) }
    }

    /// Reading any text ends with nodes or an error.
    @Test func brokenTextsNeverTrap() {
        let pieces = [
            "{", "}", "[", "]", ":", ": ", ",", "- ", "\n", "  ", "&a ", "*a", "? ", "!!str ", "'", "\"", "|\n", "#",
            "%", "@", "a", "\t", "\u{FEFF}", "\u{1}", "---\n", "...\n", "é", "\\", "<<: ", "!<x> ", "\r", "\u{2028}",
        ]
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            do {
                _ = try Document.read(text)
            } catch {
                #expect(error is DocumentError, "\(text.debugDescription): \(error)")
            }
        }
    }
}
