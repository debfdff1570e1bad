import LinkRouting
import StubMatching
import TestSupport
import Testing

private typealias Template = StubMatching.Template

/// The texts of the tables are those of WireMock 2.35.1, except where a test says otherwise.
struct TemplateTests {
    static let model = TemplateValue.members([
        "request": .members([
            "url": .text("/t/one/two?q=1&q=2"),
            "path": .path("/t/one/two"),
            "query": .members(["q": .values(["1", "2"]), "r": .values(["&x"])]),
            "headers": .object(TemplateObject([("X-H", .values(["hv"]))], ignoresCase: true)),
            "body": .text(#"{"a":{"n":5,"f":1.50,"z":null,"l":[1,"two",{"three":3}],"o":{"k":"v/w"}}}"#),
        ]),
        "n": .number("5"), "zero": .number("0"), "t": .bool(true), "z": .null, "s": .text("<a & 'b'>"), "es": .text(""),
        "l": .list([.number("1"), .text("two"), .number("3")]), "e": .list([]), "m": .members(["k": .text("v")]),
        "deep": .members(["x": .members(["y": .list([.members(["z": .text("Z")])])])]),
    ])

    private func render(_ template: String) throws -> String {
        // 2020-01-02T03:04:05Z
        var environment = TemplateEnvironment(now: Timestamp(milliseconds: 1_577_934_245_000), random: { 0 })
        return try Template(template).render(Self.model, &environment)
    }

    @Test(arguments: [
        ("{{n}}|{{t}}|{{z}}|{{missing}}|{{l}}|{{e}}|{{m}}", "5|true|||[1, two, 3]|[]|{k&#x3D;v}"),
        ("{{s}}|{{{s}}}|{{&s}}", "&lt;a &amp; &#x27;b&#x27;&gt;|<a & 'b'>|<a & 'b'>"),
        ("{{request.query.q}}|{{request.query.q.[1]}}|{{request.query.q.last}}|{{request.query.q.[5]}}", "1|2|2|"),
        ("{{request.path}}|{{request.path.[0]}}|{{request.path.1}}", "/t/one/two|t|one"),
        ("{{request.headers.x-h}}|{{request.headers.[X-H]}}", "hv|hv"),
        ("{{deep.x.y.[0].z}}|{{deep.x.y.0.z}}|{{deep/x/y}}", "Z|Z|[{z&#x3D;Z}]"),
        ("{{this.n}}|{{./n}}|{{../n}}|{{@root.n}}|{{@index}}", "5|5||5|"),
        ("{{!-- comment {{x}} --}}a{{! b }}c", "ac"),
    ])
    func pathsShowValues(template: String, expected: String) throws {
        #expect(try render(template) == expected)
    }

    @Test(arguments: [
        (
            "{{#if n}}a{{else}}b{{/if}}{{#if zero}}a{{else}}b{{/if}}{{#if es}}a{{else}}b{{/if}}{{#if e}}a{{/if}}",
            "abb"
        ),
        ("{{#if missing}}a{{else if n}}c{{else}}b{{/if}}", "c"),
        ("{{#unless missing}}u{{/unless}}", "u"),
        ("{{#each l}}{{@index}}{{@first}}{{@last}}{{this}},{{/each}}", "0first1,1two,2last3,"),
        ("{{#each l as |x i|}}{{i}}:{{x}},{{/each}}", "0:1,1:two,2:3,"),
        ("{{#each m}}{{@key}}={{this}}{{/each}}|{{#each e}}x{{else}}none{{/each}}", "k=v|none"),
        ("{{#each deep.x.y}}{{z}}{{../n}}{{@root.n}}{{/each}}", "Z55"),
        ("{{#each l}}{{#each ../l}}{{@../index}}{{@index}} {{/each}}{{/each}}", "00 01 02 10 11 12 20 21 22 "),
        ("{{#with m}}{{k}}{{n}}{{this.n}}{{/with}}|{{#with missing}}a{{else}}b{{/with}}", "v5|b"),
        ("{{#n}}x{{/n}}{{#l}}{{this}}{{/l}}{{^missing}}inv{{/missing}}{{^n}}inv{{/n}}", "x1two3inv"),
        ("{{#if (and (eq n 5) (or z t))}}ok{{/if}}", "ok"),
        ("{{#assign 'v'}} a{{n}} {{/assign}}[{{v}}]", "[a5]"),
    ])
    func blocksChooseAndRepeat(template: String, expected: String) throws {
        #expect(try render(template) == expected)
    }

    /// WireMock ignores these marks of Handlebars.
    @Test(arguments: [
        ("a  {{~n~}}  b", "a5b"), (#"\{{n}} x"#, "{{n}} x"), (#"\\{{n}}"#, #"\5"#),
        (#"{"a":{{n}}}"#, #"{"a":5}"#),
    ])
    func marksOfHandlebarsWork(template: String, expected: String) throws {
        #expect(try render(template) == expected)
    }

    @Test(arguments: [
        ("{{n} x", 3, "expected"), ("{{n", 0, "not closed"),
        ("{{#if n}}x", 0, "not closed"), ("{{/if}}", 0, "no block"),
        ("{{#if n}}x{{/unless}}", 10, "closes the block"), ("a {{nope 'x'}}", 4, "no helper 'nope'"),
        ("{{jsonPath request.body '$['}}", 2, "JSONPath"), ("{{regexExtract n '('}}", 2, "regular expression"),
        ("{{> partial}}", 0, "partials"), ("{{}}", 2, "write a name"), ("{{upper 'x}}", 8, "not closed"),
        ("{{else}}", 8, "not in a block"), ("{{upper (lower 'x'}}", 8, "not closed"),
    ])
    func wrongTemplatesAreRejected(template: String, position: Int, message: String) throws {
        let error = #expect(throws: Template.SyntaxError.self) { try Template(template) }
        #expect(error?.position == position)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func deepNestingIsRejected() {
        let blocks = String(repeating: "{{#if n}}", count: 100_000)
        let calls = "{{upper " + String(repeating: "(upper ", count: 100_000)
        #expect(throws: Template.SyntaxError.self) { try Template(blocks) }
        #expect(throws: Template.SyntaxError.self) { try Template(calls) }
    }

    @Test(arguments: [
        String(repeating: "{{#each (range 1 9999)}}", count: 4) + "x" + String(repeating: "{{/each}}", count: 4),
        "{{#assign 'v'}}xxxxxxxxxxxxxxxx{{/assign}}{{#each (range 1 60)}}{{#assign 'v'}}{{v}}{{v}}{{/assign}}{{/each}}",
        "{{range 1 100000000}}", "{{center 'x' size=100000000}}", "{{randomValue length=100000000}}",
    ])
    func renderingIsBounded(template: String) throws {
        #expect(throws: Template.Failure.self) { try render(template) }
    }

    /// All expressions of a rendering share one budget.
    @Test func catastrophicExpressionIsStopped() {
        let text = String(repeating: "a", count: 60)
        #expect(throws: RegularExpression.StepLimitExceeded.self) { try render("{{matches '\(text)' '(a+)+b'}}") }
    }

    @Test func randomTextsNeverTrap() throws {
        let pieces = [
            "{{", "}}", "{{{", "}}}", "#if ", "/if", "else", "^", "~", "\\", "n", "l", " ", "(", ")", "'", "\"", "|",
            "as ",
            "each ", "=", ".", "..", "/", "[", "]", "@", "!", "--", "5", "-3", "upper ", "jsonPath ", "math ", "é", "&",
            ">",
        ]
        var generator = SeededGenerator(seed: 41)
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 1..<14, using: &generator)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }.joined()
            guard (try? Template(text)) != nil else { continue }
            _ = try? render(text)
        }
    }
}
