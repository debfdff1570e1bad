import AppAssociation
import Testing

/// One component against one URL, as Apple documents it or as `swcutil` was observed to behave.
struct AppleComponentTests {
    struct Row: CustomTestStringConvertible {
        let component: String
        let url: String
        let matches: Bool

        init(_ component: String, _ url: String, _ matches: Bool) {
            self.component = component
            self.url = url
            self.matches = matches
        }

        var testDescription: String { "\(component) \(url)" }

        func check() throws {
            let json = #"{"applinks":{"details":[{"appIDs":["A.b"],"components":[\#(component)]}]}}"#
            let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(
                for: url,
                app: "A.b",
                domain: "e.com"
            )
            #expect(decision.outcome == (matches ? .match : .noMatch))
            #expect(decision.rule == (matches ? 0 : nil))
            #expect(decision.reason == (matches ? nil : .noRuleMatched))
            #expect(decision.tried.map(\.matches) == [matches])
            #expect(decision.tried.allSatisfy { $0.parts.allSatisfy(\.matches) == matches })
        }
    }

    static let paths = [
        Row(#"{"/":"/buy/*"}"#, "https://e.com/buy", true),
        Row(#"{"/":"/buy/*"}"#, "https://e.com/buy/", true),
        Row(#"{"/":"/buy/*"}"#, "https://e.com/buy//", true),
        Row(#"{"/":"/buy/*"}"#, "https://e.com/buy/42/x", true),
        Row(#"{"/":"/buy/*"}"#, "https://e.com/buyer", false),
        Row(#"{"/":"/buy/*"}"#, "https://e.com/bu", false),
        Row(#"{"/":"/buy/*"}"#, "https://e.com/x/buy/1", false),
        Row(#"{"/":"/buy*"}"#, "https://e.com/buy", true),
        Row(#"{"/":"/buy*"}"#, "https://e.com/buyer", true),
        Row(#"{"/":"/buy*"}"#, "https://e.com/buy/1", true),
        Row(#"{"/":"/buy"}"#, "https://e.com/buy", true),
        Row(#"{"/":"/buy"}"#, "https://e.com/buy/", true),
        Row(#"{"/":"/buy"}"#, "https://e.com/buy//", true),
        Row(#"{"/":"/buy"}"#, "https://e.com/buy/1", false),
        Row(#"{"/":"/buy/"}"#, "https://e.com/buy", true),
        Row(#"{"/":"/buy/"}"#, "https://e.com/buy//", true),
        Row(#"{"/":"/buy/"}"#, "https://e.com/buy/1", false),
        Row(#"{"/":"abc"}"#, "https://e.com/abc", true),
        Row(#"{"/":"abc"}"#, "https://e.com/abcd", false),
        Row(#"{"/":"abc"}"#, "https://e.com/xabc", false),
        Row(#"{"/":"//abc"}"#, "https://e.com/abc", true),
        Row(#"{"/":"abc/*"}"#, "https://e.com/abc", true),
        Row(#"{"/":"a/b"}"#, "https://e.com/a/b", true),
        Row(#"{"/":"*abc"}"#, "https://e.com/xabc", true),
        Row(#"{"/":"*abc"}"#, "https://e.com/x/abc", true),
        Row(#"{"/":"*abc"}"#, "https://e.com/abcx", false),
        Row(#"{"/":"*abc*"}"#, "https://e.com/xabcx", true),
        Row(#"{"/":"/a/*/c"}"#, "https://e.com/a/x/c", true),
        Row(#"{"/":"/a/*/c"}"#, "https://e.com/a/x/y/c", true),
        Row(#"{"/":"/a/*/c"}"#, "https://e.com/a/c", false),
        Row(#"{"/":"/a/?*"}"#, "https://e.com/a/b", true),
        Row(#"{"/":"/a/?*"}"#, "https://e.com/a/b/c", true),
        Row(#"{"/":"/a/?*"}"#, "https://e.com/a/", false),
        Row(#"{"/":"/a/?*"}"#, "https://e.com/a", false),
        Row(#"{"/":"/id/????"}"#, "https://e.com/id/4815", true),
        Row(#"{"/":"/id/????"}"#, "https://e.com/id/481", false),
        Row(#"{"/":"/id/????"}"#, "https://e.com/id/48151", false),
        Row(#"{"/":"/"}"#, "https://e.com/", true),
        Row(#"{"/":"/"}"#, "https://e.com", true),
        Row(#"{"/":"/"}"#, "https://e.com/x", false),
        Row(#"{"/":""}"#, "https://e.com", true),
        Row(#"{"/":""}"#, "https://e.com/x", false),
        Row(#"{"/":"*"}"#, "https://e.com", true),
        Row(#"{"/":"*"}"#, "https://e.com/x/y?z#f", true),
        Row(#"{"/":"/*"}"#, "https://e.com", true),
        Row(#"{"/":"/*"}"#, "https://e.com/x/y/", true),
        Row(#"{"/":"/**"}"#, "https://e.com/x/y", true),
        Row(#"{"/":"/a/**/c"}"#, "https://e.com/a/b/c", true),
        Row(#"{"/":"/*a*a*b"}"#, "https://e.com/aaacab", true),
        Row(#"{"/":"/*.html"}"#, "https://e.com/a/b.html", true),
        Row(#"{"/":"/*.html"}"#, "https://e.com/a/b-html", false),
        // The pattern is not a regular expression.
        Row(#"{"/":"/a.c"}"#, "https://e.com/abc", false),
        Row(#"{"/":"/(a|b)"}"#, "https://e.com/a", false),
        Row(#"{"/":"/[ab]"}"#, "https://e.com/a", false),
        Row(#"{"/":"/[ab]"}"#, "https://e.com/[ab]", true),
        Row(#"{"/":"/a+"}"#, "https://e.com/aa", false),
        Row(#"{"/":"/a+"}"#, "https://e.com/a+", true),
        Row(#"{"/":"/:id"}"#, "https://e.com/7", false),
        Row(#"{"/":"/{id}"}"#, "https://e.com/7", false),
        Row(#"{"/":"https://e.com/a"}"#, "https://e.com/a", false),
        // The path does not include the query or the fragment.
        Row(#"{"/":"/a?b=1"}"#, "https://e.com/a?b=1", false),
        Row(#"{"/":"/#/a"}"#, "https://e.com/#/a", false),
        Row(#"{"/":"NOT /a"}"#, "https://e.com/b", false),
        Row(#"{"/":"NOT /a"}"#, "https://e.com/a", false),
    ]

    static let queries = [
        Row(#"{"?":"a=1"}"#, "https://e.com/x?a=1", true),
        Row(#"{"?":"a=1"}"#, "https://e.com/x?a=1&b=2", false),
        Row(#"{"?":"a=1*"}"#, "https://e.com/x?a=1&b=2", true),
        Row(#"{"?":"a=1"}"#, "https://e.com/x", false),
        Row(#"{"?":"*"}"#, "https://e.com/x", true),
        Row(#"{"?":""}"#, "https://e.com/x", true),
        Row(#"{"?":""}"#, "https://e.com/x?", true),
        Row(#"{"?":""}"#, "https://e.com/x?a", false),
        Row(#"{"?":"?*"}"#, "https://e.com/x", false),
        Row(#"{"?":"?*"}"#, "https://e.com/x?a", true),
        Row(#"{"?":"a=/b/"}"#, "https://e.com/x?a=/b", false),
        Row(#"{"?":"a=?b"}"#, "https://e.com/x?a=?b", true),
        Row(#"{"?":{"a":"1"}}"#, "https://e.com/x?a=1", true),
        Row(#"{"?":{"a":"1"}}"#, "https://e.com/x?b=2&a=1&c", true),
        Row(#"{"?":{"a":"1"}}"#, "https://e.com/x?a=12", false),
        Row(#"{"?":{"a":"1"}}"#, "https://e.com/x?b=1", false),
        Row(#"{"?":{"a":"1","b":"2"}}"#, "https://e.com/x?b=2&a=1", true),
        Row(#"{"?":{"a":"1","b":"2"}}"#, "https://e.com/x?a=1", false),
        // A missing part counts as empty.
        Row(#"{"?":{"b":"*"}}"#, "https://e.com/x?a=1", true),
        Row(#"{"?":{"b":"*"}}"#, "https://e.com/x", true),
        Row(#"{"?":{"b":""}}"#, "https://e.com/x", true),
        Row(#"{"?":{"b":"?*"}}"#, "https://e.com/x", false),
        Row(#"{"?":{"b":"?*"}}"#, "https://e.com/x?b", false),
        Row(#"{"?":{"b":"?*"}}"#, "https://e.com/x?b=", false),
        Row(#"{"?":{"b":"?*"}}"#, "https://e.com/x?b=1", true),
        Row(#"{"?":{"b":""}}"#, "https://e.com/x?b", true),
        Row(#"{"?":{"b":""}}"#, "https://e.com/x?b=", true),
        Row(#"{"?":{"b":""}}"#, "https://e.com/x?b=1", false),
        // Every occurrence must match.
        Row(#"{"?":{"id":"42"}}"#, "https://e.com/x?id=42&id=42", true),
        Row(#"{"?":{"id":"42"}}"#, "https://e.com/x?id=7&id=42", false),
        Row(#"{"?":{"id":"42"}}"#, "https://e.com/x?id=42&id=7", false),
        Row(#"{"?":{"id":"42"}}"#, "https://e.com/x?id=42&id", false),
        Row(#"{"?":{"id":"42,7"}}"#, "https://e.com/x?id=42&id=7", false),
        Row(#"{"?":{"id":"?*"}}"#, "https://e.com/x?id=42&id=7", true),
        // Item names are decoded and compared exactly, without wildcards.
        Row(#"{"?":{"A":"1"}}"#, "https://e.com/x?a=1", false),
        Row(#"{"?":{"A":"1"},"caseSensitive":false}"#, "https://e.com/x?a=1", false),
        Row(#"{"?":{"a*":"1"}}"#, "https://e.com/x?ab=1", false),
        Row(#"{"?":{"a b":"1"}}"#, "https://e.com/x?a%20b=1", true),
        Row(#"{"?":{"a[]":"1"}}"#, "https://e.com/x?a%5B%5D=1", true),
        Row(#"{"?":{"a[]":"1"}}"#, "https://e.com/x?a[]=1", true),
        Row(#"{"?":{"a b":"1"}}"#, "https://e.com/x?a+b=1", false),
        Row(#"{"?":{"a":"x=y"}}"#, "https://e.com/x?a=x=y", true),
        Row(#"{"?":{"a":"1"}}"#, "https://e.com/x?a=1;b=2", false),
        // A single value that is not a string voids the whole query condition.
        Row(#"{"?":{"a":true}}"#, "https://e.com/x?a=1", true),
        Row(#"{"?":{"a":5}}"#, "https://e.com/x", true),
        Row(#"{"?":{"a":null}}"#, "https://e.com/x?b", true),
        Row(#"{"?":{"a":["1"]}}"#, "https://e.com/x?a=2", true),
        Row(#"{"?":{"a":{"b":"1"}}}"#, "https://e.com/x?a=2", true),
        Row(#"{"?":{"a":"1","b":true}}"#, "https://e.com/x?a=2", true),
        Row(#"{"/":"/y","?":{"a":true}}"#, "https://e.com/x?a=1", false),
        Row(#"{"?":{}}"#, "https://e.com/x?a", true),
        Row(#"{"?":5}"#, "https://e.com/x?a", true),
    ]

    static let fragments = [
        Row(##"{"#":"promo"}"##, "https://e.com/a/b?c=d#promo", true),
        Row(##"{"#":"promo"}"##, "https://e.com/#promo2", false),
        Row(##"{"#":"promo*"}"##, "https://e.com#promo2", true),
        Row(##"{"#":"*"}"##, "https://e.com/a", true),
        Row(##"{"#":""}"##, "https://e.com/a", true),
        Row(##"{"#":""}"##, "https://e.com/a#", true),
        Row(##"{"#":""}"##, "https://e.com/a#b", false),
        Row(##"{"#":"?*"}"##, "https://e.com/a", false),
        Row(##"{"#":"/a"}"##, "https://e.com/#/a/", false),
        Row(##"{"#":"*x?y=*"}"##, "https://e.com/#/x?y=1", true),
        Row(##"{"/":"/a","?":"q","#":"f"}"##, "https://e.com/a?q#f", true),
        Row(##"{"/":"/a","?":"q","#":"f"}"##, "https://e.com/a?q", false),
        Row(##"{"/":"/a","?":"q","#":"f"}"##, "https://e.com/a#f", false),
        Row(##"{"/":"/a","?":"q","#":"f"}"##, "https://e.com/b?q#f", false),
        Row(##"{"#":5}"##, "https://e.com/a#b", true),
    ]

    static let flags = [
        Row(#"{"/":"/Buy"}"#, "https://e.com/buy", false),
        Row(#"{"/":"/Buy","caseSensitive":true}"#, "https://e.com/buy", false),
        Row(#"{"/":"/Buy","caseSensitive":false}"#, "https://e.com/bUY", true),
        Row(#"{"?":{"a":"Yes"},"caseSensitive":false}"#, "https://e.com/?a=yES", true),
        Row(#"{"?":"A=Yes","caseSensitive":false}"#, "https://e.com/?a=yES", true),
        Row(##"{"#":"Top","caseSensitive":false}"##, "https://e.com/#tOP", true),
        Row(##"{"#":"Top"}"##, "https://e.com/#top", false),
        Row(#"{"/":"/caf%C3%A9"}"#, "https://e.com/caf%c3%a9", false),
        Row(#"{"/":"/caf%C3%A9","caseSensitive":false}"#, "https://e.com/caf%c3%a9", true),
        Row(#"{"/":"/a","casesensitive":false}"#, "https://e.com/A", false),
        Row(#"{"/":"/a","caseSensitive":0}"#, "https://e.com/A", true),
        Row(#"{"/":"/a","caseSensitive":"no"}"#, "https://e.com/A", true),
        Row(#"{"/":"/a","caseSensitive":"yes"}"#, "https://e.com/A", false),
        Row(#"{"/":"/a","caseSensitive":null}"#, "https://e.com/A", true),
        Row(#"{"/":"/a%20b"}"#, "https://e.com/a%20b", true),
        Row(#"{"/":"/a b"}"#, "https://e.com/a%20b", false),
        Row(#"{"/":"/a b","percentEncoded":false}"#, "https://e.com/a%20b", true),
        Row(#"{"/":"/a%20b","percentEncoded":false}"#, "https://e.com/a%20b", false),
        Row(#"{"/":"/café"}"#, "https://e.com/caf%C3%A9", false),
        Row(#"{"/":"/café","percentEncoded":false}"#, "https://e.com/caf%C3%A9", true),
        Row(#"{"/":"/café","percentEncoded":false}"#, "https://e.com/caf%c3%a9", true),
        Row(#"{"/":"/caf?","percentEncoded":false}"#, "https://e.com/caf%C3%A9", true),
        Row(#"{"/":"/caf??????"}"#, "https://e.com/caf%C3%A9", true),
        Row(#"{"/":"/caf?"}"#, "https://e.com/caf%C3%A9", false),
        Row(#"{"/":"/a/b"}"#, "https://e.com/a%2Fb", false),
        Row(#"{"/":"/a/b","percentEncoded":false}"#, "https://e.com/a%2Fb", true),
        Row(#"{"/":"/a%2Fb"}"#, "https://e.com/a%2Fb", true),
        Row(#"{"/":"/100%25","percentEncoded":false}"#, "https://e.com/100%2525", true),
        Row(#"{"?":{"q":"a b"},"percentEncoded":false}"#, "https://e.com/?q=a%20b", true),
        Row(#"{"?":{"q":"a b"},"percentEncoded":false}"#, "https://e.com/?q=a+b", false),
        Row(#"{"?":{"q":"a b"}}"#, "https://e.com/?q=a%20b", false),
        Row(#"{"?":{"q":"a%20b"}}"#, "https://e.com/?q=a%20b", true),
        Row(#"{"?":{"q":"a&b"},"percentEncoded":false}"#, "https://e.com/?q=a%26b", true),
        Row(#"{"?":"q=a b","percentEncoded":false}"#, "https://e.com/?q=a%20b", true),
        Row(##"{"#":"a b","percentEncoded":false}"##, "https://e.com/#a%20b", true),
        Row(##"{"#":"a b"}"##, "https://e.com/#a%20b", false),
        Row(#"{"/":"/a","percentEncoded":"x"}"#, "https://e.com/%61", true),
    ]

    static let odd = [
        Row("{}", "https://e.com/any?thing#at-all", true),
        Row(#"{"patch":"/x"}"#, "https://e.com/anything", true),
        Row(#"{"comment":"/x"}"#, "https://e.com/anything", true),
        Row(#"{"comment":5,"/":"/x"}"#, "https://e.com/anything", false),
        Row(#"{"/":"/x","other":{"a":["b"]}}"#, "https://e.com/x", true),
        Row(#"{"/":5}"#, "https://e.com/anything", true),
        Row(#"{"/":null}"#, "https://e.com/anything", true),
        Row(#"{"/":["/x"]}"#, "https://e.com/anything", true),
        Row(#""/x""#, "https://e.com/anything", true),
        Row("5", "https://e.com/anything", true),
        Row("null", "https://e.com/anything", true),
        Row(#"{"/":"/x","/":"/y"}"#, "https://e.com/y", true),
        Row(#"{"/":"/x","/":"/y"}"#, "https://e.com/x", false),
        Row(#"{"/":"/a\\b"}"#, "https://e.com/a%5Cb", false),
    ]

    @Test(arguments: paths) func path(_ row: Row) throws { try row.check() }
    @Test(arguments: queries) func query(_ row: Row) throws { try row.check() }
    @Test(arguments: fragments) func fragment(_ row: Row) throws { try row.check() }
    @Test(arguments: flags) func flag(_ row: Row) throws { try row.check() }
    @Test(arguments: odd) func oddComponent(_ row: Row) throws { try row.check() }
}
