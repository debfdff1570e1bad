import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import LinkServer
import Networking

struct LinksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links",
        abstract: "Manage a tenant's short links.",
        discussion: """
            EXAMPLES
              fingerpost links create shop https://www.acme.com/item/7 --code spring
              fingerpost links show shop spring
              fingerpost links import shop links.csv --dry-run

            A short link works where the live table has a route such as \
            {id: go, path: "/s/{code}", follow: shortLinks}. Creating one needs no publication. Needs a key with the scope \
            links:read or links:write. docs/short-links.md is the guide.
            """,
        subcommands: [
            Create.self, List.self, Show.self, QR.self, Edit.self, Archive.self, Restore.self, Block.self, Import.self,
            Export.self,
        ]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a short link and print its URL.",
            discussion: """
                EXAMPLES
                  fingerpost links create shop https://www.acme.com/item/7
                  fingerpost links create shop https://www.acme.com/item/7 --code spring \\
                    --tag mail --utm-source newsletter --expires 2027-06-01

                The target is a link that the live table answers, or a page on a host that the settings allow. Without \
                --code, the code is random.
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "The link to open.") var target: String
        @ArgumentParser.Option(help: "The code: 1 to 64 of letters, digits, '-', '_' and '/'.") var code: String?
        @OptionGroup var content: LinkOptions
        @Flag(help: "Return the link that has the same target and campaign, if there is one.") var reuse = false
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let link = content.applied(
                to: .object([
                    "code": code.map(JSONNode.string), "target": .string(target), "reuse": reuse ? .bool(true) : nil,
                ])
            )
            let answer = try await reportingRefusalsOfChanges {
                try await admin.client().send(.post, "tenants/\(tenant)/short-links", json: link)
            }
            json ? show(answer.body) : show(answer.body.shortLinkAddress)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List short links, newest first.",
            discussion: """
                EXAMPLES
                  fingerpost links list shop
                  fingerpost links list shop --tag mail --status active --search item/7
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Option(help: "Only links with this tag.") var tag: String?
        @ArgumentParser.Option(help: "Only links with this text in code, target or title.") var search: String?
        @ArgumentParser.Option(help: "Only links with this status: active, expired, archived or blocked.")
        var status: String?
        @ArgumentParser.Option(help: "The maximum number of links.") var limit = 50
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit is \(limit); write a number from 1.") }
        }

        func run() async throws {
            let client = try admin.client()
            let filters = [("tag", tag), ("q", search), ("status", status)].compactMap { name, value in
                value.map { (name, $0) }
            }
            var links: [JSONNode] = []
            var pages = ShortLinkPages(tenant: tenant, query: filters, limit: limit)
            try await reportingRefusals {
                while links.count < limit, let page = try await pages.next(client) { links += page }
            }
            let shown = Array(links.prefix(limit))
            guard !json else { return show(.object(["shortLinks": .array(shown)])) }
            let rows = shown.map { link in
                [
                    link["code"]?.text ?? "", link["status"]?.text ?? "",
                    link["createdAt"]?.text?.prefix(10).description ?? "",
                    link.texts("tags").joined(separator: ","), link["title"]?.text ?? "", link["target"]?.text ?? "",
                ]
            }
            show(TextColumns(rows, under: ["code", "status", "created", "tags", "title", "target"]))
            if links.isEmpty {
                warn("No short link fits.")
            } else if links.count >= limit, pages.hasMore {
                warn("There are more; --limit prints them.")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a short link with its clicks of the last 30 days.",
            discussion: """
                EXAMPLE
                  fingerpost links show shop spring
                """
        )

        @OptionGroup var link: LinkArguments
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let answer = try await reportingRefusals { try await link.admin.client().send(.get, link.path) }
            json ? show(answer.body) : show(answer.body.shortLinkLines)
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a short link; what you do not name stays.",
            discussion: """
                EXAMPLES
                  fingerpost links edit shop spring --target https://www.acme.com/item/8
                  fingerpost links edit shop spring --title "" --tag mail --tag summer

                An empty text removes a value. --tag replaces all tags.
                """
        )

        /// The members of a link that people write.
        private static let kept = ["target", "title", "note", "tags", "utm", "preview", "expires"]

        @OptionGroup var link: LinkArguments
        @ArgumentParser.Option(help: "The link to open.") var target: String?
        @OptionGroup var content: LinkOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let client = try link.admin.client()
            let answer = try await reportingRefusalsOfChanges {
                let current = try await client.send(.get, link.path)
                let kept = (current.body.members ?? []).filter { Self.kept.contains($0.key) }
                var changed = content.applied(to: JSONNode(.object(kept)))
                if let target { changed = changed.setting("target", to: .string(target)) }
                return try await client.send(.put, link.path, ifMatch: current.eTag, json: changed)
            }
            json ? show(answer.body) : show(answer.body.shortLinkAddress)
        }
    }

    struct Archive: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Archive a short link: nobody can follow it until it is restored.",
            discussion: """
                EXAMPLE
                  fingerpost links archive shop spring
                """
        )

        @OptionGroup var link: LinkArguments

        func run() async throws {
            let status = try await link.change("archive", nil)
            show("\(link.code) is \(status)")
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an archived or blocked short link active again.",
            discussion: """
                EXAMPLE
                  fingerpost links restore shop spring

                A link that was archived while it was blocked is blocked again.
                """
        )

        @OptionGroup var link: LinkArguments

        func run() async throws {
            let status = try await link.change("restore", nil)
            show("\(link.code) is \(status)")
        }
    }

    struct Block: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Block a short link at once; the audit log names it.",
            discussion: """
                EXAMPLE
                  fingerpost links block shop spring --reason "It led to a copied page."

                Everybody who follows the link gets status 410 and the reason.
                """
        )

        @OptionGroup var link: LinkArguments
        @ArgumentParser.Option(help: "Why; visitors see it.") var reason: String

        func validate() throws { try requireReason("--reason", reason) }

        func run() async throws {
            let status = try await link.change("block", .object(["reason": .string(reason)]))
            show("\(link.code) is \(status)")
        }
    }
}

/// The link that a command is about.
struct LinkArguments: ParsableArguments {
    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Argument(help: "The code of the link.") var code: String
    @OptionGroup var admin: AdminOptions

    func validate() throws {
        guard ShortCode(code) != nil else {
            throw ValidationError("'\(code)' is not a code; use 1 to 64 of letters, digits, '-', '_' and '/'.")
        }
    }

    /// The path of the link in the admin API.
    var path: String { Self.path(of: code, tenant) }

    static func path(of code: String, _ tenant: String) -> String {
        let escaped = code.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting(["/"])) ?? code
        return "tenants/\(tenant)/short-links/\(escaped)"
    }

    /// Returns the status after the change.
    func change(_ action: String, _ body: JSONNode?) async throws -> String {
        let answer = try await reportingRefusalsOfChanges {
            try await admin.client().send(.post, "\(path)/\(action)", json: body)
        }
        return answer.body["status"]?.text ?? ""
    }
}

/// What a person can write about a link besides its target.
struct LinkOptions: ParsableArguments {
    @ArgumentParser.Option(help: "A title, for lists.") var title: String?
    @ArgumentParser.Option(help: "A note for colleagues.") var note: String?
    @ArgumentParser.Option(help: "A tag; may be repeated.") var tag: [String] = []
    @ArgumentParser.Option(help: "utm_source of the target, where it has none.") var utmSource: String?
    @ArgumentParser.Option(help: "utm_medium.") var utmMedium: String?
    @ArgumentParser.Option(help: "utm_campaign.") var utmCampaign: String?
    @ArgumentParser.Option(help: "utm_term.") var utmTerm: String?
    @ArgumentParser.Option(help: "utm_content.") var utmContent: String?
    @ArgumentParser.Option(help: "The title that chats show.") var previewTitle: String?
    @ArgumentParser.Option(help: "The text that chats show.") var previewDescription: String?
    @ArgumentParser.Option(help: "The image that chats show: an https URL.") var previewImage: String?
    @ArgumentParser.Option(help: "When the link ends: a date, which is its start in UTC, or a time.")
    var expires: String?

    func validate() throws {
        guard let expires, !expires.isEmpty, Timestamp(option: expires) == nil else { return }
        throw ValidationError(
            "--expires is '\(expires)'; write a date such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z."
        )
    }

    /// Returns a link with these values in place of its own. An empty text removes a value.
    func applied(to link: JSONNode) -> JSONNode {
        var link = link
        for (key, text) in [("title", title), ("note", note)] { link = link.setting(key, toText: text) }
        if !tag.isEmpty { link = link.setting("tags", to: .array(tag.filter { !$0.isEmpty }.map(JSONNode.string))) }
        let campaign = [
            ("source", utmSource), ("medium", utmMedium), ("campaign", utmCampaign), ("term", utmTerm),
            ("content", utmContent),
        ]
        let preview = [
            ("title", previewTitle), ("description", previewDescription), ("image", previewImage),
        ]
        for (key, options) in [("utm", campaign), ("preview", preview)] {
            let object = options.reduce(link[key] ?? .object([:])) { $0.setting($1.0, toText: $1.1) }
            link = link.setting(key, to: object.members?.isEmpty == true ? nil : object)
        }
        return link.setting("expires", toText: expires.map { Timestamp(option: $0)?.description ?? $0 })
    }
}

/// Reads a list of short links by pages.
struct ShortLinkPages {
    private let tenant: String
    private let query: [(String, String)]
    private let limit: Int
    private var cursor: String?
    private(set) var hasMore = true
    /// Where the live table follows short links, from the last page.
    private(set) var urls = ShortLinkURLs([])

    /// - Parameter limit: The number of links that are needed.
    init(tenant: String, query: [(String, String)] = [], limit: Int = .max) {
        self.tenant = tenant
        self.query = query
        self.limit = limit
    }

    /// Returns the next page; nil after the last one.
    mutating func next(_ client: AdminClient) async throws -> [JSONNode]? {
        guard hasMore else { return nil }
        let page = [("limit", "\(min(limit, 1_000))")] + (cursor.map { [("cursor", $0)] } ?? [])
        let answer = try await client.send(.get, "tenants/\(tenant)/short-links", query: query + page).body
        cursor = answer["nextCursor"]?.text
        hasMore = cursor != nil
        urls = ShortLinkURLs(answer.texts("urls"))
        return answer["shortLinks"]?.elements ?? []
    }
}
