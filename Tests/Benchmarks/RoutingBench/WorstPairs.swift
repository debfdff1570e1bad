import LinkRouting

/// A construct of tables, repeated in one table as often as the limit of steps admits, and a link and a context for which
/// its comparison is slow. `RoutingBench worst` counts the instructions of the lookup.
struct WorstPair {
    let name: String
    /// Returns the members of a route besides its id: JSON. They differ in their number.
    let route: (Int) -> String
    let link: String
    var context = "{}"
    var mostRoutes = 10_000

    static func identity() throws -> Identity {
        let settings = #"{"domains": ["go.bench.test", "*.bench.link"]}"#
        let node = try JSONReader.parse(settings, limits: JSONReader.Limits(maximumBytes: 1_024))
        return try Identity(DocumentField(node, path: "").anyObject())
    }

    private static let host = "https://go.bench.test"

    /// A link with one segment, which consists of repetitions of a text.
    private static func full(_ unit: String, end: String = "") -> String {
        let room = DeepLink.maximumLength - host.utf8.count - 1 - end.utf8.count
        return host + "/" + String(repeating: unit, count: room / unit.utf8.count) + end
    }

    private static func query(_ unit: String) -> String {
        let room = DeepLink.maximumLength - host.utf8.count - 4
        return host + "/a?" + String(repeating: unit + "&", count: room / (unit.utf8.count + 1)) + "z"
    }

    private static func path(_ pattern: @escaping (Int) -> String) -> (Int) -> String {
        { #""path":"\#(pattern($0))""# }
    }

    private static func when(_ condition: @escaping (Int) -> String) -> (Int) -> String {
        { #""path":"/a","when":\#(condition($0))"# }
    }

    private static func query(_ condition: @escaping (Int) -> String) -> (Int) -> String {
        { #""path":"/a","query":\#(condition($0))"# }
    }

    private static func list(_ count: Int, _ text: (Int) -> String) -> String {
        (0..<count).map(text).joined(separator: ",")
    }

    /// A set in a pattern, and one in a condition, of the same ids.
    private static func ids(_ count: Int, _ route: Int) -> String { list(count) { "p\(route)x\($0)" } }
    private static func quoted(_ count: Int, _ route: Int) -> String { list(count) { #""p\#(route)x\#($0)""# } }

    private static let traits = #"{"traits":{"t":[\#(list(100) { #""value\#($0)""# })]}}"#
    private static let languages = #"{"locale":[\#(list(16) { _ in #""xx-aa-bb""# })]}"#

    static var all: [WorstPair] {
        types + mixed + conditions + queries + fragments + [
            // Each segment is an integer and a word, in all combinations.
            WorstPair(
                name: "combinations",
                route: { number in
                    let segments = (0..<12).map { number >> $0 & 1 == 0 ? "/{a\($0):int}" : "/{a\($0):alnum}" }
                    return #""path":"\#(segments.joined())/z""#
                },
                link: host + String(repeating: "/1", count: 12)
            ),
            WorstPair(
                name: "literals",
                route: path { "/literal\($0)/{x:int}" },
                link: host + "/literal99/x",
                mostRoutes: 1_000
            ),
            WorstPair(
                name: "long literals",
                route: path { "/{a:string(..\(9_000 + $0))}/" + String(repeating: "a", count: 7_000) + "\($0)" },
                link: host + "/a/" + String(repeating: "a", count: 7_000) + "99"
            ),
            WorstPair(
                name: "segments",
                route: path { "/{a:string(..\(9_000 + $0))}/{r...}" },
                link: host + String(repeating: "/a", count: 4_080)
            ),
            WorstPair(
                name: "hosts",
                route: { #""path":"/a","host":"{h:alpha(..\#(100 + $0))}.bench.link""# },
                link: "https://\(String(repeating: "a", count: 62))1.bench.link/a"
            ),
        ]
    }

    private typealias Segment = (name: String, text: (Int) -> String, link: String)

    private static var types: [WorstPair] {
        let types: [Segment] = [
            ("slug", { "slug(1..\(9_000 + $0))" }, full("a-", end: "A")),
            ("alpha", { "alpha(1..\(9_000 + $0))" }, full("a", end: "1")),
            ("hex", { "hex(1..\(9_000 + $0))" }, full("a", end: "z")),
            ("short alnum", { "alnum(1..\(9_000 + $0))" }, host + "/" + String(repeating: "a", count: 31) + "-"),
            ("int", { "int(\($0)..\($0))" }, host + "/9223372036854775807"),
            ("number", { "number(\($0)..\($0))" }, host + "/12345678.123456"),
            ("set", { "(\(ids(500, $0)))" }, host + "/p3x499z"),
            (
                "set of long values",
                { "(\(String(repeating: "a", count: 3_900))\($0),\(String(repeating: "b", count: 3_900))\($0))" },
                host + "/" + String(repeating: "a", count: 3_900) + "9"
            ),
        ]
        return types.map { name, type, link in
            let isSet = name.hasPrefix("set")
            return WorstPair(
                name: name,
                route: path { isSet ? "/{a\(type($0))}" : "/{a:\(type($0))}" },
                link: link,
                mostRoutes: isSet ? 100 : 10_000
            )
        }
    }

    private static var mixed: [WorstPair] {
        let segments: [Segment] = [
            ("prefix and slug", { "x{a:slug(1..\(9_000 + $0))}" }, full("x", end: "X")),
            (
                "prefix, slug and suffix", { "X{a:slug(1..\(9_000 + $0))}.html" },
                "https://go.bench.test/X" + String(repeating: "a-", count: 4_000) + "A.html"
            ),
            ("slug and int", { "{a:slug}-{b:int(\($0)..\($0))}" }, full("a-", end: "99999")),
            ("text and int", { "{a}-{b:int(\($0)..\($0))}" }, full("-", end: "-99999")),
            ("two texts", { "{a:string(1..\(9_000 + $0))}-{b}" }, full("a")),
            ("two texts, two bytes", { "{a:string(1..\(9_000 + $0))}-x{b}" }, full("-")),
            ("two texts, three bytes", { "{a:string(1..\(9_000 + $0))}-xy{b}" }, full("-x")),
            ("two texts, many bytes", { "{a:string(1..\(9_000 + $0))}--------x{b}" }, full("-")),
            ("two slugs", { "{a:slug(1..\(9_000 + $0))}_{b:slug}" }, full("a", end: "_A")),
            ("two words", { "{a:alpha(1..\(9_000 + $0))}-{b:alpha}" }, full("a", end: "1")),
            ("three texts", { "{a:string(1..\(9_000 + $0))}-{b}-{c}" }, full("a", end: "-a")),
            ("slugs and int", { "{a:slug(1..\(9_000 + $0))}_{b:slug}-{c:int}" }, full("a-", end: "_a-x")),
            ("eight texts", { "{a:string(\(2 + $0)..)}-{b}-{c}-{d}-{e}-{f}-{g}-{h}" }, full("a", end: "-a-a-a-a-a-a")),
            ("text and slugs", { "{a:slug(1..\(9_000 + $0))}.{b:slug}-{c:slug}" }, full("a-", end: ".A")),
            ("text, int and slug", { "{a:string(1..\(9_000 + $0))}-{b:int}x{c:slug(..100)}" }, full("-1x", end: "A")),
            (
                "text, int, slug and int", { "{a:string(1..\(9_000 + $0))}-{b:int}x{c:slug(..80)}.{d:int}" },
                full("-1x", end: ".1")
            ),
            (
                "text, int and words", { "{a:string(1..\(9_000 + $0))}1{b:int}x{c:alnum(..60)}_{d:string(..40)}" },
                full("1", end: "x")
            ),
            ("int between texts", { "{a:string(1..\(9_000 + $0))}-{b:int}-{c:string(..100)}" }, full("-1x")),
            ("int between texts, hyphens", { "{a:string(1..\(9_000 + $0))}-{b:int}-{c:string(..100)}" }, full("-")),
            (
                "int before words", { "{a:string(1..\(9_000 + $0))}-{b:int}-{c:alnum(..60)}-{d:int}" },
                full("1-", end: "x")
            ),
            ("sizes", { "{a:string(1..\(9_000 + $0))}-{b:int}x{c:int}.{d:string(..60)}" }, full("-1x1-")),
            ("sizes without end", { "{a:string(1..\(9_000 + $0))}-{b:int}x{c:int}.{d:string(..60)}" }, full("--1")),
            (
                "versions", { "v{a:int(\($0)..)}.{b:int}.{c:int}" },
                host + "/v9223372036854775807.9223372036854775807.922337203685477580x"
            ),
            (
                "long literal between texts",
                { "{a:string(1..\(9_000 + $0))}\(String(repeating: "a", count: 63))b{c}" }, full("a")
            ),
            (
                "long literal with borders",
                { "{a:string(1..\(9_000 + $0))}\(String(repeating: "ab", count: 16))a{c}" },
                full(String(repeating: "ab", count: 15) + "aa")
            ),
            (
                "long ends",
                {
                    String(repeating: "a", count: 400) + "{a:slug(1..\(9_000 + $0))}"
                        + String(repeating: "b", count: 400)
                },
                "https://go.bench.test/" + String(repeating: "a", count: 400) + String(repeating: "c", count: 7_000)
                    + "C" + String(repeating: "b", count: 400)
            ),
            ("late bad byte", { "{a:slug(1..\(9_000 + $0))}-{b:int}" }, full("a", end: "A-a-1")),
            ("texts of limited length", { "{a:string(1..\(9_000 + $0))}-{b:string(..4000)}" }, full("-")),
            ("texts of least length", { "{a:string(1..\(9_000 + $0))}-{b:slug(4000..)}" }, full("a-", end: "x")),
            ("date between texts", { "{a:string(1..\(9_000 + $0))}-{b:date}-{c:alpha(..100)}" }, full("2026-11-31-")),
            ("uuid between texts", { "{a:string(1..\(9_000 + $0))}0{b:uuid}-{c:string(..80)}" }, full("0")),
            ("number between texts", { "{a:string(1..\(9_000 + $0))}-{b:number}x{c:alpha(..100)}" }, full("-1.1x")),
            ("set between texts", { "{a:string(1..\(9_000 + $0))}-{b(en,de,fra)}-{c:alpha(..100)}" }, full("-en-")),
            (
                "large set between texts", { "{a:string(1..\(9_000 + $0))}-{b(\(ids(200, 0)))}-{c:alpha(..100)}" },
                full("-p0x1-")
            ),
            ("integers with digits", { "{a:int(\($0)..)}1{b:int}" }, host + "/1111111111111111111111111111111111111x"),
            (
                "set of many lengths", { "{a(\(list(100) { String(repeating: "x", count: $0 + 1) }),y\($0))}x{b:int}" },
                full("x")
            ),
            (
                "set before a long literal",
                {
                    "{a(\(list(83) { String(repeating: "a", count: $0 + 1) }))}\(String(repeating: "a", count: 63))b"
                        + "{b:string(1..\(9_000 + $0))}"
                }, full("a")
            ),
            ("slug behind a letter", { "{a:string(1..\(9_000 + $0))}a{b:slug}" }, full("a-")),
            ("slug before a digit", { "{a:slug(1..\(9_000 + $0))}1{b}" }, full("1-", end: "1")),
            ("sets and texts", { "{a(x,xx,xxx,\($0))}x{b(y,xx,xxx)}z{c:slug(..100)}" }, full("x")),
        ]
        return segments.map { name, segment, link in
            WorstPair(name: "mixed: " + name, route: path { "/" + segment($0) }, link: link)
        }
    }

    private static var conditions: [WorstPair] {
        [
            WorstPair(
                name: "rollouts",
                route: when { #"{"rollout":{"percent":0,"salt":"s\#($0)"}}"# },
                link: host + "/a",
                context: #"{"stickyKey":"\#(String(repeating: "k", count: 1_024))"}"#
            ),
            WorstPair(
                name: "a trait",
                route: when { #"{"traits":{"t":"xalue\#($0)"}}"# },
                link: host + "/a",
                context: traits
            ),
            WorstPair(
                name: "traits with names that are not ASCII",
                route: when { #"{"traits":{"\#(String(repeating: "é", count: 60))":"xalue\#($0)"}}"# },
                link: host + "/a",
                context: traits.replacing("\"t\"", with: #""\#(String(repeating: "e\u{301}", count: 60))""#)
            ),
            WorstPair(
                name: "a trait of few values",
                route: when { #"{"traits":{"t":["xalue\#($0)","xalux\#($0)","yalue\#($0)","yalux\#($0)"]}}"# },
                link: host + "/a",
                context: traits
            ),
            WorstPair(
                name: "a trait of many values",
                route: when { #"{"traits":{"t":[\#(quoted(500, $0))]}}"# },
                link: host + "/a",
                context: traits,
                mostRoutes: 90
            ),
            WorstPair(
                name: "languages",
                route: when { _ in #"{"locale":["xx-bb","xx-cc","xx-dd","xx-ee"]}"# },
                link: host + "/a",
                context: languages
            ),
            WorstPair(
                name: "languages with truncations",
                route: when { _ in #"{"locale":["aa-b-b-b-b-c","aa-b-b-b-b-d","aa-b-b-b-b-e"]}"# },
                link: host + "/a",
                context: #"{"locale":[\#(list(16) { _ in "\"aa" + String(repeating: "-b", count: 30) + "\"" })]}"#
            ),
            WorstPair(
                name: "languages with the last truncation",
                route: when { _ in #"{"locale":["aa-b-b-b"]}"# },
                link: host + "/a",
                context: #"{"locale":[\#(list(16) { _ in "\"aa" + String(repeating: "-b", count: 30) + "\"" })]}"#
            ),
            WorstPair(
                name: "countries",
                route: when { _ in #"{"country":["AA","AB","AC","AD","AE","AF"]}"# },
                link: host + "/a",
                context: #"{"country":"ZZ"}"#
            ),
            WorstPair(
                name: "versions",
                route: when { _ in #"{"appVersion":{"from":"3.2.0","until":"3.2.1-a.b.c"}}"# },
                link: host + "/a",
                context: #"{"appVersion":"3.2.1-a.b.c"}"#
            ),
            WorstPair(
                name: "long versions",
                route: when { _ in
                    #"{"appVersion":{"from":"1-a.\#(String(repeating: "a", count: 100))c","until":"\#(list(50) { _ in "1" }.replacing(",", with: "."))"}}"#
                },
                link: host + "/a",
                context: #"{"appVersion":"1-a.\#(String(repeating: "a", count: 100))b"}"#
            ),
            WorstPair(
                name: "versions of many parts",
                route: when { _ in #"{"appVersion":{"from":"\#(list(60) { _ in "1" }.replacing(",", with: ".")).2"}}"#
                },
                link: host + "/a",
                context: #"{"appVersion":"\#(list(60) { _ in "1" }.replacing(",", with: ".")).1"}"#
            ),
            WorstPair(
                name: "versions of many words",
                route: when { _ in #"{"appVersion":{"from":"1-\#(list(60) { _ in "a" }.replacing(",", with: ".")).c"}}"#
                },
                link: host + "/a",
                context: #"{"appVersion":"1-\#(list(60) { _ in "a" }.replacing(",", with: ".")).b"}"#
            ),
            WorstPair(
                name: "platforms",
                route: when { _ in #"{"platform":"ios"}"# },
                link: host + "/a",
                context: #"{"platform":"android"}"#
            ),
            WorstPair(
                name: "64 conditions",
                route: when { _ in #"{"anyOf":[\#(list(60) { _ in #"{"appBuild":{"from":5}}"# })]}"# },
                link: host + "/a",
                context: #"{"appBuild":4}"#
            ),
        ]
    }

    private static var queries: [WorstPair] {
        [
            WorstPair(name: "query: absent item", route: query { #"{"q\#($0)":"present"}"# }, link: query("z")),
            WorstPair(name: "query: one name", route: query { #"{"q\#($0)":"present"}"# }, link: query("a")),
            WorstPair(
                name: "query: different names",
                route: query { #"{"q\#($0)":"present"}"# },
                link: host + "/a?" + list(1_400) { "a\($0)" }.replacing(",", with: "&")
            ),
            WorstPair(
                name: "query: no query",
                route: query { #"{\#(list(63) { "\"q\($0)\":\"int?\"" }),"z\#($0)":"present"}"# },
                link: host + "/a"
            ),
            WorstPair(
                name: "query: lists with one value missing in each",
                route: query { number in #"{"q":{"oneOf":[\#(quoted(900, 0)),"y\#(number)"]}}"# },
                link: host + "/a?" + list(700) { "q=p0x\($0)" }.replacing(",", with: "&") + "&q=z"
            ),
            WorstPair(
                name: "query: different lists",
                route: query { #"{"q":{"oneOf":[\#(quoted(500, $0))]}}"# },
                link: host + "/a?" + list(500) { "q=p0x\($0)" }.replacing(",", with: "&") + "&q=z",
                mostRoutes: 150
            ),
            WorstPair(name: "query: words", route: query { #"{"q":"slug(1..\#(9_000 + $0))"}"# }, link: query("q=a")),
            WorstPair(
                name: "query: bools",
                route: query { _ in #"{"q":"bool","r":"present"}"# },
                link: query("q=true")
            ),
            WorstPair(
                name: "query: few long items",
                route: query { #"{"q":"slug(1..\#(9_000 + $0))"}"# },
                link: host + "/a?" + list(7) { _ in "q=" + String(repeating: "a", count: 30) }.replacing(",", with: "&")
                    + "&q=A"
            ),
            WorstPair(
                name: "query: few items",
                route: query { #"{"q\#($0)":"present"}"# },
                link: host + "/a?" + list(8) { "z\($0)=1" }.split(separator: ",").joined(separator: "&")
            ),
            WorstPair(name: "query: ints", route: query { #"{"q":"int(..\#($0))"}"# }, link: query("q=999")),
            WorstPair(name: "query: numbers", route: query { #"{"q":"number(..\#($0))"}"# }, link: query("q=9.9")),
            WorstPair(
                name: "query: types",
                route: query { #"{"q":"\#(["int(..1)", "number(..1)", "slug(5..)", "hex(5..)", "bool"][$0 % 5])"}"# },
                link: query("q=9")
            ),
            WorstPair(name: "query: dates", route: query { _ in #"{"q":"date"}"# }, link: query("q=2026-11-21")),
            WorstPair(
                name: "query: lists",
                route: query { #"{"q":{"oneOf":[\#(quoted(1_000, $0))]}}"# },
                link: host + "/a?" + list(8) { "q=p0x\($0)" }.split(separator: ",").joined(separator: "&"),
                mostRoutes: 150
            ),
            WorstPair(
                name: "query: lists with one value missing",
                route: query { number in #"{"q":{"oneOf":[\#(list(8) { #""x\#($0)""# }),"y\#(number)"]}}"# },
                link: host + "/a?" + list(7) { "q=x\($0)" }.split(separator: ",").joined(separator: "&") + "&q=z"
            ),
            WorstPair(
                name: "query: few encoded items",
                route: query { #"{"q\#($0)":"present"}"# },
                link: host + "/a?" + list(8) { _ in "%71%71=1" }.split(separator: ",").joined(separator: "&")
            ),
            WorstPair(name: "query: encoded", route: query { #"{"q\#($0)":"present"}"# }, link: query("%71%71=%71")),
            WorstPair(
                name: "query: a long value",
                route: query { #"{"q":"slug(1..\#(9_000 + $0))"}"# },
                link: host + "/a?q=" + String(repeating: "a", count: 8_000) + "A"
            ),
        ]
    }

    private static var fragments: [WorstPair] {
        [
            WorstPair(
                name: "fragments",
                route: { #""path":"/a","fragment":"/x\#($0)/{y}/z""# },
                link: host + "/a#" + String(repeating: "/x", count: 4_000)
            ),
            WorstPair(
                name: "fragments: encoded",
                route: { #""path":"/a","fragment":"/{x:slug(1..\#(9_000 + $0))}""# },
                link: host + "/a#/" + String(repeating: "%F0%9F%98%80", count: 670)
            ),
            WorstPair(
                name: "fragments: slugs",
                route: { #""path":"/a","fragment":"/{x:slug(1..\#(9_000 + $0))}""# },
                link: host + "/a#/" + String(repeating: "a", count: 8_000) + "A"
            ),
            WorstPair(
                name: "fragments: texts",
                route: { #""path":"/a","fragment":"zebra\#($0)""# },
                link: host + "/a#zebra"
            ),
        ]
    }

    /// The largest number of routes of a table that is admitted.
    func admittedRoutes(_ identity: Identity) throws -> Int {
        var (admitted, refused) = (0, mostRoutes + 1)
        var next = min(16, mostRoutes)
        while admitted < next, next < refused {
            if try router(identity, routes: next).worstCaseSteps <= Router.maximumSteps {
                admitted = next
            } else {
                refused = next
            }
            next = refused > mostRoutes ? min(mostRoutes, admitted * 2) : (admitted + refused) / 2
        }
        return admitted
    }

    func router(_ identity: Identity, routes: Int) throws -> Router {
        let list = (0..<routes).map { #"{"id":"r\#($0)",\#(route($0)),"open":{"screen":"S"}}"# }
        let json = #"{"routes":[\#(list.joined(separator: ","))]}"#
        let node = try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 30))
        return Router(identity: identity, table: try RouteTable(DocumentField(node, path: "")))
    }

    func parsedContext() throws -> LinkContext {
        var warnings: [String] = []
        let node = try JSONReader.parse(context, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        return try LinkContext(DocumentField(node, path: ""), warnings: &warnings)
    }
}
