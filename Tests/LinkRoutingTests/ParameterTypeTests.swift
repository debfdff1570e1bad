import Testing

@testable import LinkRouting

struct ParameterTypeTests {
    @Test(arguments: [
        ("string", "a é/%", ""), ("string(2..3)", "ab abc é", "a abcd éé"),
        (
            "int", "0 7 -7 9223372036854775807 -9223372036854775808",
            "+5 0123 -0 1.0 1e3 9223372036854775808 99999999999999999999 - a 1_0 ١"
        ),
        ("int(1..5)", "1 5", "0 6 -1"), ("int(1..)", "1 9223372036854775807", "0"), ("int(..-1)", "-1", "0"),
        (
            "number", "0 1.5 -1.50 0.0 123456789012345 -0.1",
            "+1 01.5 -0 -0.0 1. .5 1e3 1234567890123456 1.234567890123456 NaN"
        ),
        ("number(0.5..1)", "0.5 1 0.75 1.0", "0.4 1.01"), ("bool", "true false", "True 1 yes"),
        (
            "uuid", "6f1c2f0e-6f0c-4d0e-9a0e-1c2d3e4f5a6b 6F1C2F0E-6F0C-4D0E-9A0E-1C2D3E4F5A6B",
            "6f1c2f0e6f0c4d0e9a0e1c2d3e4f5a6b 6f1c2f0e-6f0c-4d0e-9a0e-1c2d3e4f5a6g {6f1c2f0e-6f0c-4d0e-9a0e-1c2d3e4f5a6b}"
        ),
        ("slug", "a a-b a1-2b 7", "-a a- a--b A é a_b"), ("alpha", "aZ", "a1 é -"), ("alnum", "a1Z", "a- é"),
        ("alnum(6)", "abc123", "abc12 abc1234"),
        ("hex", "09afAF", "g 0x1"),
        ("date", "2026-11-21 2024-02-29", "2026-02-29 2026-11-31 2026-1-1 20261121 0000-01-01"),
        ("(list,detail)", "list detail", "List lists"),
    ]) func typeAcceptsItsValues(_ text: String, _ accepted: String, _ refused: String) throws {
        let type = try ParameterType(text)
        for value in accepted.split(separator: " ") {
            #expect(type.accepts(Array(value.utf8)[...]), "\(text) accepts \(value)")
        }
        for value in refused.split(separator: " ") {
            #expect(!type.accepts(Array(value.utf8)[...]), "\(text) refuses '\(value)'")
        }
    }

    @Test(arguments: [
        ("int", "-7", "-7"), ("number", "1.50", "1.50"), ("bool", "true", "true"),
        ("uuid", "6f1c2f0e-6f0c-4d0e-9a0e-1c2d3e4f5a6b", "\"6f1c2f0e-6f0c-4d0e-9a0e-1c2d3e4f5a6b\""),
        ("date", "2026-11-21", "\"2026-11-21\""), ("string", "7", "\"7\""), ("(7,8)", "7", "\"7\""),
    ]) func valueHasItsJSONType(_ type: String, _ text: String, _ json: String) throws {
        var writer = JSONWriter()
        writer.value(try ParameterType(type).value(of: text))
        #expect(writer.text == json)
    }

    @Test func setFoldsASCIIWhereCaseIsIgnored() throws {
        let type = try ParameterType("(list,été)")
        #expect(type.accepts(Array("LIST".utf8)[...], .ignored))
        #expect(!type.accepts(Array("ÉTÉ".utf8)[...], .ignored))
    }
}

struct MixedMatchingTests {
    private func captures(_ pattern: String, _ text: String) throws -> [String]? {
        guard case .mixed(let mixed)? = try RoutePattern("/" + pattern).segments.first else { return nil }
        let bytes = Array(text.utf8)
        return mixed.match(bytes[...], .sensitive)?.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test(arguments: [
        ("{name}.{ext}", "a.b.c", "a b.c"), ("{title}-{id:int}", "a-b-7", "a-b 7"),
        ("{title}-{id:int}", "a-b-7-8", "a-b-7 8"),
        ("item-{id:int}", "item-7", "7"),
        ("{a:alnum(1..9223372036854775807)}.{b:string(2..)}.{c}", "a.b.cd.e", "a b.cd e"),
        ("{a:string(3..4)}-{b:string(2..3)}-{c:int}", "ab-c-de-7", "ab-c de 7"),
        ("{a}.{s(ab-c,b)}-{b:string(3..)}-{c:int}", "x.ab-c-d.b-c-d-7", "x ab-c d.b-c-d 7"),
        ("{a}--{b}", "x---y", "x -y"), ("{a:int}x{b}", "12x3x", "12 3x"),
        ("v{a}.{b}.{c}", "v1.2.3.4", "1 2 3.4"),
        ("{a:slug}_{b}", "a-b_c_d", "a-b c_d"), ("{a}é{b}", "xéy", "x y"),
        ("{a:alnum(2)}{b:int}".replacing("}{", with: "}-{"), "ab-7", "ab 7"),
    ]) func parametersTakeAsLittleAsTheyCan(_ pattern: String, _ text: String, _ expected: String) throws {
        #expect(try captures(pattern, text) == expected.split(separator: " ").map(String.init))
    }

    @Test(arguments: [
        ("{name}.{ext}", ".b"), ("{name}.{ext}", "a."), ("{name}.{ext}", "ab"), ("item-{id:int}", "item-"),
        ("item-{id:int}", "item-x"),
        ("item-{id:int}", "Item-7"), ("{title}-{id:int}", "a-b"), ("{a:int}.{b:int}", "1.2.3"), ("{a}.html", ".html"),
        ("{a}.html", "a.htm"),
    ]) func valueOfAnotherTypeIsRefused(_ pattern: String, _ text: String) throws {
        #expect(try captures(pattern, text) == nil)
    }

    /// Trying every way to split such a text would take exponential time.
    @Test(
        .timeLimit(.minutes(15)),
        arguments: [
            ("{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h:int}", "-"),
            ("{a:alnum}a{b:alnum}a{c:alnum}a{d:alnum}a{e:alnum}a{f:alnum}a{g:int}", "a"),
            ("{a:slug}-{b:slug}-{c:slug}-{d:slug}-{e:slug}-{f:slug}-{g:slug}-{h:int}", "a-"),
            ("{a:string(1..4000)}-{b:string(1..4000)}-{c:string(1..4000)}-{d:int}", "-"),
        ]
    ) func hostileTextIsMatchedQuickly(_ pattern: String, _ piece: String) throws {
        let text = String(repeating: piece, count: 4_000 / piece.utf8.count) + "x"
        #expect(try captures(pattern, text) == nil)
    }
}
