import LinkRouting
import TestSupport

/// Test values built from JSON.
enum Fixture {
    static func json(_ text: String) throws -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 4_000_000))
    }

    static func field(_ text: String) throws -> DocumentField { DocumentField(try json(text), path: "") }

    /// A table of these routes, each a JSON object.
    static func table(_ routes: [String], defaults: String = "{}") throws -> RouteTable {
        try RouteTable(try field(#"{"defaults": \#(defaults), "routes": [\#(routes.joined(separator: ","))]}"#))
    }

    static func identity(_ settings: String = acme) throws -> Identity {
        try Identity(try field(settings).anyObject())
    }

    static func router(
        _ routes: [String],
        defaults: String = "{}",
        settings: String = acme
    ) throws -> Router {
        Router(identity: try identity(settings), table: try table(routes, defaults: defaults))
    }

    /// Routes named by their patterns, which only open a screen: enough to test which one answers.
    static func router(paths: [String]) throws -> Router {
        try router(
            paths.enumerated().map { index, path in
                #"{"id": "r\#(index)", "path": \#(JSONNode.string(path).json()), "open": {"screen": "S"}}"#
            }
        )
    }

    /// A tenant with a domain for links, a website, a wildcard, a scheme, and an app on both platforms.
    static let acme = #"""
        {"domains": ["go.acme.com", {"host": "www.acme.com", "serves": "association"}, "*.acme.link"],
         "schemes": ["acme", {"name": "acmeopen", "host": "ignore"}, {"name": "acmesome", "host": ["open", "app"]}],
         "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.app",
                   "stores": [{"kind": "appStore", "id": "123456789"}]},
                  {"id": "droid", "platform": "android", "package": "com.acme.app",
                   "stores": [{"kind": "playStore"}]}]}
        """#
}

extension Router {
    /// The pattern of the route that answers for a path on the tenant's domain.
    func winner(_ path: String, in context: LinkContext = LinkContext(platform: .ios)) -> String? {
        resolve("https://go.acme.com" + path, in: context).pattern
    }
}

extension SeededGenerator {
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
