import Testing

/// Compares the simulator with recorded behaviour of Apple's own tool.
struct AssociationSimulatorTests {
    @Test(arguments: [
        ("/buy/*", ["/buy", "/buy/", "/buy//", "/buy/42/x"], ["/buyer", "/bu"]),
        ("/buy*", ["/buy", "/buyer"], ["/bu"]),
        ("/buy", ["/buy", "/buy/", "/buy//"], ["/buy/1"]),
        ("/buy/", ["/buy", "/buy/"], ["/buy/1"]),
        ("abc", ["/abc"], ["/abcd", "/xabc"]),
        ("//abc", ["/abc"], ["/abcd"]),
        ("*abc", ["/xabc"], ["/abcx"]),
        ("/a/*/c", ["/a/x/c", "/a/x/y/c"], ["/a/c"]),
        ("/a/?*", ["/a/b", "/a/b/c"], ["/a/", "/a"]),
        ("/", ["/", ""], ["/x"]),
        ("*", ["/", "", "/x/y"], []),
        ("/*", ["/", "", "/x/y"], []),
        ("/a%20b", ["/a%20b"], ["/a%2520b"]),
        ("/a b", [], ["/a%20b"]),
        ("/café", [], ["/caf%C3%A9"]),
        ("/caf%C3%A9", ["/caf%C3%A9", "/café"], ["/caf%c3%a9"]),
        ("/a/b", [], ["/a%2Fb"]),
    ])
    func pattern(_ pattern: String, matches: [String], notOf others: [String]) throws {
        for path in matches { #expect(try decision(#"{"/": "\#(pattern)"}"#, path) == .opens(rule: 0), "\(path)") }
        for path in others { #expect(try decision(#"{"/": "\#(pattern)"}"#, path) == .noMatch, "\(path)") }
    }

    @Test(arguments: [
        (#"{"/": "/a b", "percentEncoded": false}"#, "/a%20b", true),
        (#"{"/": "/a%20b", "percentEncoded": false}"#, "/a%20b", false),
        (#"{"/": "/café", "percentEncoded": false}"#, "/caf%C3%A9", true),
        (#"{"/": "/a/b", "percentEncoded": false}"#, "/a%2Fb", true),
        (#"{"/": "/ABC", "caseSensitive": false}"#, "/abc", true),
        (#"{"/": "/ABC"}"#, "/abc", false),
    ])
    func flagsChangeTheComparison(_ rule: String, _ path: String, _ opens: Bool) throws {
        #expect(try decision(rule, path) == (opens ? .opens(rule: 0) : .noMatch))
    }

    @Test func firstMatchDecides() throws {
        let rules = #"{"/": "/a/b"}, {"/": "/a/*", "exclude": true}, {"/": "*"}"#

        #expect(try decision(rules, "/a/b") == .opens(rule: 0))
        #expect(try decision(rules, "/a/c") == .excluded(rule: 1))
        #expect(try decision(rules, "/b") == .opens(rule: 2))
        #expect(try decision(rules, "/b", app: "OTHER12345.x") == .appNotListed)
    }

    private func decision(_ rules: String, _ path: String, app: String = "ABCDE12345.com.example") throws
        -> AssociationSimulator.Decision
    {
        let file = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example"],"components":[\#(rules)]}]}}"#
        return try AssociationSimulator(Array(file.utf8)).decision(for: app, "https://example.com" + path)
    }
}
