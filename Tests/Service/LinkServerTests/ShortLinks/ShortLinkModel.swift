import LinkRouting

/// What the short links of a tenant must answer, and how often they were followed.
struct ShortLinkModel: Sendable {
    /// The live table.
    enum Table: CaseIterable, Sendable {
        case whole, withoutItems, withoutShortLinks

        private static let routes: [(line: String, tables: [Table])] = [
            (
                #"{id: item, path: "/item/{id:int}", web: "https://www.acme.test/item/{id}"}"#,
                [.whole, .withoutShortLinks]
            ),
            (#"{id: blog, path: "/blog/{slug}", web: "https://www.acme.test/blog/{slug}"}"#, allCases),
            (#"{id: go, path: "/s/{code}", follow: shortLinks}"#, [.whole, .withoutItems]),
        ]

        var yaml: String {
            let routes = Self.routes.filter { $0.tables.contains(self) }.map { "  - \($0.line)\n" }
            return "defaults: {fallback: {web: \"\(ShortLinkModel.home)\"}}\nroutes:\n" + routes.joined()
        }
    }

    enum Target: Hashable, Sendable {
        /// A link on the host for clicks.
        case item(Int)
        /// A page of the website with a route that leads to the same page.
        case blog(Int)
        /// A page on another host that the settings allow.
        case page(Int)
        /// A route that follows.
        case shortLink
        case foreign

        var text: String {
            switch self {
            case .item(let number): "https://go.acme.test/item/\(number)" + query
            case .blog(let number): "https://www.acme.test/blog/\(number)"
            case .page(let number): "https://pages.acme.test/\(number)"
            case .shortLink: "https://go.acme.test/s/a"
            case .foreign: "https://www.evil.test/item/7"
            }
        }

        /// Some items have a query, and some of these a source of their own.
        private var query: String {
            guard case .item(let number) = self else { return "" }
            return ["", "?a=1", "?utm_source=own"][number % 3]
        }

        func isAllowed(in table: Table) -> Bool {
            switch self {
            case .item: table != .withoutItems
            case .blog, .page: true
            case .shortLink, .foreign: false
            }
        }

        var route: String {
            switch self {
            case .item: "item"
            case .blog: "blog"
            case .page, .shortLink, .foreign: "go"
            }
        }

        /// Where a click ends.
        func page(source: String?) -> String {
            var page = text
            if case .item(let number) = self { page = "https://www.acme.test/item/\(number)" + query }
            guard let source, !page.contains("utm_source") else { return page }
            return page + (page.contains("?") ? "&" : "?") + "utm_source=\(source)"
        }
    }

    struct Content: Sendable {
        var target: Target
        var source: String?
        var expires: Timestamp?

        /// The members in JSON, without the braces.
        var members: String {
            #""target":"\#(target.text)""# + (source.map { #","utm":{"source":"\#($0)"}"# } ?? "")
                + (expires.map { #","expires":"\#($0)""# } ?? "")
        }
    }

    struct Link: Sendable {
        var content: Content
        var status = "active"
        /// Whether it is blocked, or will be when it is restored.
        var isBlocked = false
        /// The last entity tag, and the one before; nil if no answer had one yet.
        var tag: String?
        var staleTag: String?
        var clicks = Int64(0)

        func shownStatus(at now: Timestamp) -> String {
            guard status == "active", let end = content.expires, end <= now else { return status }
            return "expired"
        }

        mutating func change(by action: String) {
            switch action {
            case "archive": status = "archived"
            case "block": (status, isBlocked) = ("blocked", true)
            default:
                isBlocked = isBlocked && status == "archived"
                status = isBlocked ? "blocked" : "active"
            }
        }
    }

    struct Answer: Hashable, Sendable {
        var outcome: String
        /// The route of a match; nil otherwise.
        var route: String?
        /// The code of a reason that is about short links.
        var reason: String?
        var clickStatus: Int
        var location: String?
    }

    static let home = "https://www.acme.test/"

    var table = Table.whole
    var links: [String: Link] = [:]

    func answer(_ code: String, at now: Timestamp) -> Answer {
        let fallback = Answer(outcome: "fallback", clickStatus: 302, location: Self.home)
        guard table != .withoutShortLinks, let link = links[code] else { return fallback }
        let content = link.content
        switch link.shownStatus(at: now) {
        case "blocked": return Answer(outcome: "matched", reason: "link_blocked", clickStatus: 410)
        case "archived": return Answer(outcome: "fallback", reason: "link_archived", clickStatus: 410)
        case "expired": return Answer(outcome: "fallback", reason: "link_expired", clickStatus: 410)
        default: break
        }
        // An earlier table allowed it.
        guard content.target.isAllowed(in: table) else { return fallback }
        let page = content.target.page(source: content.source)
        return Answer(outcome: "matched", route: content.target.route, clickStatus: 302, location: page)
    }

    /// Counts an event of a code that exists and that a route follows.
    mutating func count(_ code: String) {
        if table != .withoutShortLinks { links[code]?.clicks += 1 }
    }
}
