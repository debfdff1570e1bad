import Hummingbird
import LinkCatalog
import LinkRouting
import LinkServer
import NIOCore

/// *Links*: short links, one or many.
extension Console {
    private static let mostRanked = 1_000
    private static let mostLines = 2_000
    private static let mostRows = 100_000

    @Sendable func links(_ visit: Visit) async throws -> [String: any Sendable] {
        let search = visit.linkSearch
        var values = try await visit.answers([
            "list": visit.target("/short-links", search + ["cursor": visit.field("cursor"), "limit": "50"]),
            "ranking": visit.target("/stats/short-links", ["tag": visit.field("tag"), "limit": "\(Self.mostRanked)"]),
        ])
        let list = (values["list"] as? ShownJSON)?.object
        let ranking = (values["ranking"] as? ShownJSON)?.object
        let ranked = ranking?["links"]?.elements ?? []
        let isLimited = ranking?["limited"]?.bool == true || ranked.count >= Self.mostRanked
        let byCode = Dictionary(ranked.map { ($0["code"]?.text ?? "", $0) }) { first, _ in first }
        let patterns = ShortLinkURLs(list?["urls"]?.elements?.compactMap(\.text) ?? [])
        let rows = (list?["shortLinks"]?.elements ?? []).map { link in
            let code = link["code"]?.text ?? ""
            let tags = (link["tags"]?.elements ?? []).map { tag -> JSONNode in
                .object(["name": tag, "place": .string(visit.place("/links", ["tag": tag.text]))])
            }
            return JSONNode.object([
                "link": link, "place": .string(visit.linkPlace(code)),
                "url": patterns.url(of: code).map(JSONNode.string), "tags": .array(tags), "last": byCode[code]?["last"],
                // A link that is not among those with the most clicks has none, unless some are missing.
                "clicks": byCode[code]?["clicks"] ?? (ranking == nil || isLimited ? nil : .int(0)),
            ])
        }
        let next = list?["nextCursor"]?.text
        let isSearch = search.items.contains { $0.value != nil } || visit.field("cursor") != nil
        values["hasRows"] = !rows.isEmpty
        values["rows"] = JSONNode.array(rows).shown
        values["isEmpty"] = list != nil && rows.isEmpty && !isSearch && next == nil
        values["isNotFound"] = rows.isEmpty && isSearch
        values["hasNoRoute"] = list?["urls"]?.elements?.isEmpty == true
        values["isLimited"] = isLimited
        values["nextPlace"] = next.map { visit.place("/links", search + ["cursor": $0]) }
        values["firstPlace"] = visit.field("cursor").map { _ in visit.place("/links", search) }
        values["csv"] = visit.place("/links.csv", search)
        values["statuses"] = ["active", "expired", "archived", "blocked"].map { name in
            ["name": name, "isChosen": name == visit.field("status")] as [String: any Sendable]
        }
        values["fields"] = visit.typed
        return values
    }

    @Sendable func createLink(_ visit: Visit) async throws -> ConsoleAnswer {
        let link = try await visit.ask("POST", visit.target("/short-links"), visit.typedLink)
        return .redirect(to: visit.linkPlace(link["code"]?.text ?? ""))
    }

    // MARK: Many

    @Sendable func manyLinks(_ visit: Visit) async throws -> [String: any Sendable] {
        [
            "isFirebase": visit.field("origin") == LinkField.Origin.firebase.rawValue,
            "columns": LinkField.allCases.map(\.rawValue),
        ]
    }

    /// Shows what became of each line, and keeps the text.
    @Sendable func createLinks(_ visit: Visit) async throws -> ConsoleAnswer {
        let (rows, lost) = try await pastedLinks(visit)
        let links = rows.compactMap { try? $0.get() }
        let body = links.map { $0.json.json() + "\n" }.joined()
        let target = visit.target("/short-links")
        // Without any link, too: the admin API decides whether the key may create some.
        let answers = try await visit.send("POST", target, ("application/x-ndjson", body)).text.split(separator: "\n")
        var remaining = answers[...]
        let results = try rows.map { row -> JSONNode in
            switch row {
            case .success(let link):
                let answer = try JSONReader.parse(
                    (remaining.popFirst() ?? "{}").utf8,
                    limits: .init(maximumBytes: 1 << 20)
                )
                let place = answer["error"] == nil ? answer["code"]?.text.map(visit.linkPlace) : nil
                return .object([
                    "line": .int(link.line), "target": link.json["target"], "status": answer["status"],
                    "code": answer["code"], "error": answer["error"]?["message"],
                    "place": place.map(JSONNode.string),
                ])
            case .failure(let failure):
                let error: JSONNode = .string(failure.text)
                return .object(["line": .int(failure.line), "status": .string("error"), "error": error])
            }
        }
        func count(_ statuses: [String]) -> Int { results.count { statuses.contains($0["status"]?.text ?? "") } }
        var values = try await manyLinks(visit)
        values["results"] = JSONNode.array(results).shown
        values["hasResults"] = true
        values["lost"] = lost
        values["created"] = count(["created"])
        values["existing"] = count(["exists", "reused"])
        values["failed"] = count(["error"])
        return .page("links-many", values)
    }

    /// The links of the text: one target a line, or rows of values below a header, or what `fingerpost links export` writes.
    private func pastedLinks(_ visit: Visit) async throws -> ([LinkRows.Row], lost: [String]) {
        let text = visit.form["text"] ?? ""
        guard text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) <= Self.mostLines else {
            throw RefusedRequest(
                413,
                "There are more than \(Self.mostLines) lines. Send fewer, or use 'fingerpost links import'."
            )
        }
        let start = text.prefix(200).trimmingPrefix { $0.isWhitespace }.lowercased()
        guard !start.hasPrefix("http://"), !start.hasPrefix("https://") else {
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            return (lines.enumerated().compactMap { ImportedLink(target: $1, line: $0 + 1).map { .success($0) } }, [])
        }
        let list = try? await visit.get(visit.target("/short-links", ["limit": "1"]))
        var reader = LinkRows(
            named: [:],
            origin: visit.field("origin").flatMap(LinkField.Origin.init),
            urls: (list?["urls"]?.elements?.compactMap(\.text)).map { ShortLinkURLs($0) }
        )
        do throws(UnreadableLinks) {
            let rows = try reader.rows(of: Array(text.utf8))
            return (rows + (try reader.lastRows()), reader.lost.lines)
        } catch {
            throw RefusedRequest(422, error.reason)
        }
    }

    // MARK: CSV

    /// The links of the search as a file that *paste many* and `fingerpost links import` read.
    @Sendable func linksAsCSV(_ visit: Visit) async throws -> ConsoleAnswer {
        @Sendable func page(_ cursor: String?) async throws -> JSONNode {
            try await visit.get(visit.target("/short-links", visit.linkSearch + ["limit": "1000", "cursor": cursor]))
        }
        let first = try await page(nil)
        let body = ResponseBody { writer in
            // Spreadsheets take a file without the mark for one in another encoding.
            let names = LinkField.allCases.map(\.rawValue) + ["short_url", "status"]
            try await writer.write(ByteBuffer(string: "\u{FEFF}" + CSVText.row(names)))
            var rows = 0
            var next: JSONNode? = first
            while let links = next {
                try await writer.write(ByteBuffer(string: Self.csv(links)))
                rows += links["shortLinks"]?.elements?.count ?? 0
                guard let cursor = links["nextCursor"]?.text, rows < Self.mostRows else { break }
                next = try await page(cursor)
            }
            try await writer.finish(nil)
        }
        return .stream(type: "text/csv; charset=utf-8", body, name: "links.csv")
    }

    private static func csv(_ page: JSONNode) -> String {
        let patterns = ShortLinkURLs(page["urls"]?.elements?.compactMap(\.text) ?? [])
        return (page["shortLinks"]?.elements ?? []).map { link in
            let url = patterns.url(of: link["code"]?.text ?? "")
            let cells = LinkField.allCases.map { $0.text(in: link) }
            return CSVText.row((cells + [url, link["status"]?.text]).map { $0 ?? "" })
        }.joined()
    }
}

extension Visit {
    fileprivate var linkSearch: Query { ["q": field("q"), "tag": field("tag"), "status": field("status")] }

    /// The page of a link.
    func linkPlace(_ code: String) -> String {
        // The page that creates many links has this name, too.
        place("/links/" + (code == "many" ? "%6Dany" : code.percentEncodedPart))
    }

    /// The link that the form describes. The admin API says what is wrong with it.
    var typedLink: JSONNode {
        .shortLink { field in
            switch field {
            case .createdAt, .archived: nil
            case .expires: self.field("expires").map { Timestamp(option: $0)?.description ?? $0 }
            // Browsers end a line with both.
            default: self.field(field.rawValue).map { String($0.map { $0 == "\r\n" ? "\n" : $0 }) }
            }
        }
    }
}
