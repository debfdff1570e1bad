import LinkRouting
import StubMatching
import Testing

private typealias Template = StubMatching.Template

/// The texts are those of WireMock 2.35.1.
struct TemplateHelperTests {
    private func render(_ template: String) throws -> String {
        var environment = TemplateEnvironment(
            now: Timestamp(milliseconds: 1_577_934_245_000),
            random: { 7 },
            zone: { name, _ in name == "Europe/Paris" ? (3_600, "CET") : nil }
        )
        return try Template(template).render(TemplateTests.model, &environment)
    }

    @Test(arguments: [
        ("{{eq n 5}}|{{eq n '5'}}|{{eq 5 5.0}}|{{eq 'a' 'b' yes='Y' no='N'}}|{{neq n 5}}", "true|false|true|N|false"),
        ("{{gt 3 2}}|{{gte 2 2}}|{{lt 'a' 'b'}}|{{lte 3 2}}|{{not t}}", "true|true|true|false|false"),
        ("{{contains 'abc' 'b'}}|{{contains missing 'x'}}|{{matches 'abc' '[a-z]+'}}", "true|false|true"),
        ("{{capitalizeFirst 'hello world'}}|{{capitalize 'HELLO WORLD' fully=true}}", "Hello world|Hello World"),
        (
            "{{center 'abc' size=9 pad='*'}}|{{ljust 'abc' size=6}}|{{rjust 'abc' size=6 pad='.'}}",
            "***abc***|abc   |...abc"
        ),
        ("{{cut 'a b c' ' '}}|{{cut 'a b'}}|{{replace 'a.b' '.' '+'}}|{{substring 'abcdef' 2 4}}", "abc|ab|a+b|cd"),
        ("{{lower 'ABÉ'}}|{{upper 'abé'}}|{{trim '  a b '}}|{{#trim}}  a b {{/trim}}", "abé|ABÉ|a b|a b"),
        (
            "{{slugify 'Joel is a slug'}}|{{stripTags '<b>x</b> y'}}|{{abbreviate 'hello world' 8}}",
            "joel-is-a-slug|x y|hello..."
        ),
        ("{{wordWrap 'Joel is a slug' 5}}|{{wordWrap 'abcdefghij klm' 5}}", "Joel\nis a\nslug|abcdefghij\nklm"),
        (
            "{{stringFormat 'a %s %d %05d %x %.2f %5s|%-5s| %%' 'x' 5 42 255 1.5 'r' 'l'}}",
            "a x 5 00042 ff 1.50     r|l    | %"
        ),
        (
            "{{base64 'hello'}}|{{base64 'hello' padding=false}}|{{base64 'aGVsbG8=' decode=true}}",
            "aGVsbG8&#x3D;|aGVsbG8|hello"
        ),
        ("{{urlEncode 'a b&c=d/é+'}}|{{{urlEncode 'a+b%26c' decode=true}}}", "a+b%26c%3Dd%2F%C3%A9%2B|a b&c"),
        ("{{defaultIfEmpty missing 'd'}}|{{yesno t}}|{{yesno z}}", "d|yes|maybe"),
    ])
    func textsAndConditions(template: String, expected: String) throws {
        #expect(try render(template) == expected)
    }

    @Test(arguments: [
        ("{{math 3 '+' 2}}|{{math 7 '/' 2}}|{{math 7.0 '/' 2}}|{{math 1 '-' 2.5}}|{{math 5 '%' 3}}", "5|4|3.5|-1.5|2"),
        (
            "{{math '2.50' '*' '2'}}|{{math 2 '/' 3}}|{{math 1 '/' 3.0}}|{{math '10' 'x' '1.1'}}|{{math -3 '+' 1}}",
            "5.0|1|0|11.0|-2"
        ),
        ("{{math 1 '^' 2}}", "[ERROR: ^ is not a valid mathematical operator]"),
        (
            "{{numberFormat 1234567.891}}|{{numberFormat -5.5 'integer'}}|{{numberFormat 2.5 'integer'}}",
            "1,234,567.891|-6|2"
        ),
        (
            "{{numberFormat 0.125 'percent'}}|{{numberFormat 12 '000.0'}}|{{numberFormat 1234.5 '#,##0.00'}}",
            "12%|012.0|1,234.50"
        ),
        (
            "{{range 1 4}}|{{#each (range 3 5) as |i|}}{{i}};{{/each}}|{{array 1 'b' t}}|{{size (array)}}",
            "[1, 2, 3, 4]|3;4;5;|[1, b, true]|0"
        ),
        (
            "{{join l ','}}|{{join 'a' 'b' 'c' '-'}}|{{join e ','}}|{{lookup l 1}}|{{lookup m 'k'}}",
            "1,two,3|a-b-c||two|v"
        ),
        ("{{isEven 2}}|{{isOdd 2}}|{{stripes 3}}|{{size 'abcdé'}}|{{size request.query.q}}", "even||odd|5|2"),
    ])
    func numbersAndLists(template: String, expected: String) throws {
        #expect(try render(template) == expected)
    }

    @Test(arguments: [
        (
            "{{jsonPath request.body '$.a.n'}}|{{jsonPath request.body '$.a.f'}}|{{jsonPath request.body '$.a.z'}}",
            "5|1.5|"
        ),
        (
            "{{jsonPath request.body '$.no' default='d'}}|{{{jsonPath request.body '$.a.l'}}}",
            #"d|[1,"two",{"three":3}]"#
        ),
        ("{{{jsonPath request.body '$.a.o'}}}", "{\n  \"k\" : \"v/w\"\n}"),
        (#"{{{jsonPath '{"a":["x/y"]}' '$.a'}}}"#, #"["x\/y"]"#),
        ("{{#each (jsonPath request.body '$.a.l') as |x|}}{{x}};{{/each}}", "1;two;{three&#x3D;3};"),
        (#"{{#parseJson 'j'}}{"a":[1,{"b":2.50}]}{{/parseJson}}{{j.a.[1].b}}"#, "2.50"),
        ("{{formData 'a=1&b=x%20y&a=2' 'f' urlDecode=true}}{{f.a.0}}{{f.a.1}}{{f.b}}", "12x y"),
        ("{{regexExtract 'abc123' '[0-9]+'}}|{{regexExtract 'abc' '([a-z])([a-z])' 'p'}}{{p.0}}{{p.[1]}}", "123|ab"),
        ("{{regexExtract 'abc' 'x'}}|{{regexExtract 'abc' 'x' default='d'}}", "[ERROR: Nothing matched x]|d"),
        ("{{hostname}}|{{systemValue key='X'}}", "localhost|[ERROR: Access to X is denied]"),
    ])
    func dataOfTexts(template: String, expected: String) throws {
        #expect(try render(template) == expected)
    }

    @Test(arguments: [
        (
            "{{now}}|{{now timezone='Europe/Paris'}}|{{now offset='3 days' format='yyyy-MM-dd HH:mm:ssZ'}}",
            "2020-01-02T03:04:05Z|2020-01-02T04:04:05+01:00|2020-01-05 03:04:05+0000"
        ),
        (
            "{{parseDate '2018-05-05T10:11:12.345Z'}}|{{parseDate '01/02/2018' format='dd/MM/yyyy'}}|{{parseDate 'nope'}}",
            "2018-05-05T10:11:12Z|2018-02-01T00:00:00Z|"
        ),
        (
            "{{date (parseDate '2020-01-31T03:04:05Z') offset='1 months'}}|{{date (parseDate '2020-01-31T03:04:05Z') format='unix'}}",
            "2020-02-29T03:04:05Z|1580439845"
        ),
        (
            "{{date (parseDate '2018-05-05T10:11:12Z') format='EEE, d MMM yyyy HH:mm:ss z'}}",
            "Sat, 5 May 2018 10:11:12 UTC"
        ),
        ("{{truncateDate (parseDate '2020-02-10T11:22:33Z') 'last day of month'}}", "2020-02-29T00:00:00Z"),
        (
            "{{parseDate '1577964091' format='unix'}}|{{parseDate '9223372036854775807' format='epoch' }}",
            "2020-01-02T11:21:31Z|9999-12-31T23:59:59Z"
        ),
    ])
    func dates(template: String, expected: String) throws {
        #expect(try render(template) == expected)
    }

    @Test(arguments: [
        "{{math 1 '/' 0}}", "{{math 'a' '+' 1}}", "{{substring 'abc' 5}}", "{{gt n 'a'}}", "{{parseJson 'x'}}",
        "{{now timezone='Nowhere'}}", "{{now offset='x'}}", "{{date (parseDate '2020-01-31T03:04:05Z') format='bbb'}}",
        "{{randomInt lower=6 upper=5}}", "{{stringFormat '%d' 'a'}}", "{{stringFormat '%999999999s' 'a'}}",
        "{{randomValue type='NOPE'}}", "{{join l}}", "{{now offset='-9223372036854775808 days'}}",
        "{{stringFormat '%f' 1e-9223372036854775808}}", "{{numberFormat 1e-9223372036854775808}}",
        "{{center 'abc' size=-9223372036854775808}}", "{{ljust 'abc' size=-1}}", "{{rjust 'abc' size=10001}}",
    ])
    func wrongArgumentsFail(template: String) {
        #expect(throws: Template.Failure.self) { try render(template) }
    }

    @Test func timeOutOfRangeIsRejected() throws {
        #expect(try render("{{parseDate '-9223372036854775808' format='unix'}}") == "")
    }

    @Test func randomNumbersAreInjected() throws {
        let template = "{{randomValue type='UUID'}} {{randomInt lower=1 upper=9}} {{pickRandom 'a' 'b'}}"
        #expect(try render(template) == (try render(template)))
    }
}
