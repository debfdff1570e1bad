import LinkCatalog
import LinkRouting
import StubMatching
import StubServer

/// The page of `/__links`: the links of the suites, for tapping on a device. Each has the name "Link 1", "Link 2", …, by
/// which a test finds it. `?format=json` gives the list to scripts.
struct LinksPage {
    private let entries: [Entry]

    /// The maximum number of links that are listed.
    private static let maximumLinks = 10_000

    private struct Entry {
        let suite: String
        let link: String
        let expectation: String
        /// The address at which this server answers a click of the link; nil for links of other hosts and schemes.
        let click: String?
    }

    init(_ suites: [LinkSuite], _ catalog: Catalog, base: String) {
        entries = suites.flatMap { suite in
            suite.cases.map { one in
                Entry(
                    suite: suite.name ?? suite.tenant?.rawValue ?? "links",
                    link: one.link,
                    expectation: one.expectations.map { "\($0.key.rawValue) \(Self.shown($0.value))" }
                        .joined(separator: ", "),
                    click: Self.click(one.link, catalog).map { base + $0 }
                )
            }
        }.prefix(Self.maximumLinks).map(\.self)
    }

    private static func shown(_ node: JSONNode) -> String { node.text ?? node.json() }

    private static func click(_ text: String, _ catalog: Catalog) -> String? {
        guard let link = try? DeepLink.parse(text), link.isWeb, let host = link.host,
            catalog.table(forHost: host, port: link.port)?.serves == .links,
            let slashes = text.firstRange(of: "://")
        else { return nil }
        // A fragment stays in the browser.
        return "__links/\(text[slashes.upperBound...].prefix { $0 != "#" })"
    }

    func answer(_ method: String, query: String) -> EndpointAnswer {
        guard method == "GET" || method == "HEAD" else {
            return EndpointAnswer(
                status: 405,
                headers: [HeaderField("Allow", "GET, HEAD")] + .plainText,
                body: Array("The list of links supports GET and HEAD.\n".utf8)
            )
        }
        let isJSON = query.split(separator: "&").contains("format=json")
        let headers = [
            HeaderField("Content-Type", isJSON ? "application/json" : "text/html; charset=utf-8"),
            HeaderField("Cache-Control", "no-store"),
        ]
        return EndpointAnswer(status: 200, headers: headers, body: Array((isJSON ? json : page).utf8))
    }

    private var json: String {
        JSONNode.object([
            "links": .array(
                entries.enumerated().map { index, entry in
                    .object([
                        "name": .string("Link \(index + 1)"), "suite": .string(entry.suite),
                        "link": .string(entry.link), "expect": .string(entry.expectation),
                        "click": entry.click.map(JSONNode.string),
                    ])
                }
            )
        ]).json(.pretty)
    }

    private var page: String {
        var html = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Links</title><h1>Links</h1>

            """
        if entries.isEmpty { html += "<p>There is no suite. Start the server with --suite FILE.</p>\n" }
        var suite: String?
        for (index, entry) in entries.enumerated() {
            if entry.suite != suite { html += "<h2>\(entry.suite.escapedForHTML)</h2>\n" }
            suite = entry.suite
            let click = entry.click.map { " · <a href=\"\($0.escapedForHTML)\">Click \(index + 1)</a>" } ?? ""
            html += """
                <p><a href="\(entry.link.escapedForHTML)">Link \(index + 1)</a>\(click)<br>
                <code>\(entry.link.escapedForHTML)</code><br><small>\(entry.expectation.escapedForHTML)</small></p>

                """
        }
        return html + "</html>\n"
    }
}
