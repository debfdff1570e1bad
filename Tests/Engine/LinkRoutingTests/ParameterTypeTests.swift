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
