import LinkRouting
import StubMatching
import Testing

/// Expectations are the answers of Jayway JsonPath as WireMock 2.35.1 contains it, except where a comment says otherwise.
struct JSONPathTests {
    @Test(arguments: [
        ("$.a[1]", #"{"a":[1,2]}"#, "2"), ("$.a[-1]", #"{"a":[1,2]}"#, "2"), ("$.a.b", #"{"a":1}"#, "nothing"),
        ("$[-2:1]", "[1,2,3,4]", "[3,4,1]"), ("$[:-1]", "[1,2]", "[1]"), ("$[1,0]", "[1,2]", "[2,1]"),
        ("$..[0].a", #"[{"a":1},{"a":2}]"#, "[1]"), ("$..x", #"{"a":{"x":[1,{"x":2}]}}"#, #"[[1,{"x":2}],2]"#),
        ("$..a.length()", #"{"a":[1,2,3]}"#, "3"), ("$.a.length()", #"{"a":"xyz"}"#, "null"),
        ("$.a.min()", #"{"a":[3,1,2]}"#, "1.0"), ("$.sum($.a, 3, 4)", #"{"a":[1,2]}"#, "10.0"),
        ("$..a.sum()", #"[{"a":1},{"a":2}]"#, "3.0"), ("$.a.keys()", #"{"a":{"x":1,"y":2}}"#, #"["x","y"]"#),
        ("$.concat($.a, \"x\")", #"{"a":"q"}"#, #""qx""#), ("$.a.append(5)", #"{"a":[1,2]}"#, "[1,2,5]"),
        ("$['a','z']", #"{"a":1,"b":2}"#, #"{"a":1}"#), ("$['a','b'].x", #"{"a":{"x":1},"b":{"x":2}}"#, "[1,2]"),
        ("a", #"{"a":1}"#, "1"), ("$.a", #"{"a":1.10}"#, "1.1"), ("$.a", #"{"a":12.0}"#, "12.0"),
        ("$.a", #"{"a":1e3}"#, "1000.0"), ("$.a", #"{"a":12345678901234567890}"#, "12345678901234567890"),
        ("$[?(@.n == 2)]", #"[{"n":"2"},{"n":2},{"n":2.0}]"#, #"[{"n":"2"},{"n":2},{"n":2.0}]"#),
        ("$[?(@.n === 2)]", #"[{"n":"2"},{"n":2}]"#, #"[{"n":2}]"#), ("$[?(@.n != 2)]", #"[{"m":1}]"#, #"[{"m":1}]"#),
        ("$[?(@.n == null)]", #"[{"n":null},{"m":2}]"#, #"[{"n":null}]"#),
        ("$[?(@.n)]", #"[{"n":null},{}]"#, #"[{"n":null}]"#),
        ("$[?(!@.k)]", #"[{"k":1},{"z":2}]"#, #"[{"z":2}]"#),
        ("$[?('a' in @.k)]", #"[{"k":["a"]},{}]"#, #"[{"k":["a"]}]"#),
        ("$[?(@.k =~ /c.*/i)]", #"[{"k":"Cat"},{"k":"dog"}]"#, #"[{"k":"Cat"}]"#),
        ("$[?(@.k size 1)]", #"[{"k":["a"]},{"k":"C"},{"k":2}]"#, #"[{"k":["a"]},{"k":"C"}]"#),
        ("$[?(@.k subsetof [1,2,3])]", #"[{"k":[1,2]},{"k":[4]}]"#, #"[{"k":[1,2]}]"#),
        ("$[?(@.k anyof [1])]", #"[{"k":[1,9]},{"k":[4]}]"#, #"[{"k":[1,9]}]"#),
        ("$[?(@.k noneof [1])]", #"[{"k":[1,9]},{"k":[4]}]"#, #"[{"k":[4]}]"#),
        ("$[?(@.a > 1 && @.a < 3 || @.b == 1)].a", #"[{"a":2},{"b":1},{"a":7}]"#, "[2]"),
        ("$.b[?(@.p < $.max)].t", #"{"b":[{"p":1,"t":"x"}],"max":10}"#, #"["x"]"#),
        ("$[?(@.name == 'Ann')]", #"{"name":"Ann"}"#, #"[{"name":"Ann"}]"#), ("$..[?(@ > 1)]", "[1,2]", "[]"),
        // Jayway reads the name 'n&&@'.
        ("$[?(@.n&&@.m)].n", #"[{"n":1,"m":1},{"n":2}]"#, "[1]"),
        // Jayway answers with the length of the root.
        ("$.length($.a)", #"{"a":[1,2,3]}"#, "3"),
    ])
    func pathFindsWhatJaywayFinds(path: String, document: String, expected: String) throws {
        let document = try JSONReader.parse(document, limits: JSONReader.Limits(maximumBytes: 1_000))
        let result = try JSONPath(path).evaluate(document)
        let text = result.node.map {
            $0.elements == nil && $0.members == nil && $0.text == nil ? $0.comparedText : $0.json()
        }
        #expect((text ?? "nothing") == expected)
    }
}
