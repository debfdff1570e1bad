import Foundation
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkRouting
import LinkServer
import NIOCore

/// The recorded events behind the numbers, and the links that no route answers.
extension Console {
    @Sendable func events(_ visit: Visit) async throws -> [String: any Sendable] {
        let isLive = visit.field("live") != nil
        let filter = isLive ? NumbersFilter(visit.query).withoutRange : NumbersFilter(visit.query)
        var values = shown(filter, visit)
        values["isAllTime"] = filter["days"] == nil
        values["isTail"] = isLive
        values["stream"] = visit.place("/numbers/stream", filter.query)
        values["livePlace"] = visit.place("/numbers/events", filter.withoutRange.query + ["live": "yes"])
        do {
            var filter = filter
            if filter["days"] != nil, filter["from"] == nil {
                filter = filter.with("from", nextHour(daysAgo: filter.days).description)
            }
            let size = filter.isOfEvents ? 100 : 1_000
            let (rows, next) = try await rows(
                filter,
                after: visit.field("cursor"),
                pages: 3,
                pageSize: size,
                upTo: 100,
                visit
            )
            values["events"] = rows.map { $0.shown ?? "" } as [any Sendable]
            values["next"] = next.map { visit.place("/numbers/events", filter.query + ["cursor": $0]) }
        } catch let refusal as RefusedRequest {
            values["mistake"] = refusal.detail
        }
        return values
    }

    /// The newest rows of the filter. What the API does not know is compared here.
    ///
    /// - Parameter most: No further page is read when there are as many rows.
    /// - Returns: Also the cursor after which older rows follow.
    func rows(
        _ filter: NumbersFilter,
        after cursor: String? = nil,
        pages: Int,
        pageSize: Int,
        upTo most: Int = .max,
        _ visit: Visit
    ) async throws -> (events: [JSONNode], next: String?) {
        var (events, next): ([JSONNode], String?) = ([], cursor)
        for _ in 0..<pages {
            let items: Visit.Query = ["limit": "\(pageSize)", "cursor": next]
            let page = try await visit.get(visit.target("/events", items + filter.items(NumbersFilter.ofEvents)))
            events += (page["events"]?.elements ?? []).filter(filter.holds)
            next = page["nextCursor"]?.text
            if next == nil || events.count >= most { break }
        }
        return (events, next)
    }

    /// Passes new events on, each as a row of the page. The stream is written in whole events.
    func eventRows(_ visit: Visit) async throws -> ConsoleAnswer {
        let filter = NumbersFilter(visit.query).withoutRange
        let body = try await visit.stream(visit.target("/events/tail", filter.items(NumbersFilter.ofEvents))).body
        let limits = JSONReader.Limits(maximumBytes: 1 << 20)
        return .stream(
            type: "text/event-stream",
            body.map { [pages] buffer in
                let lines = String(buffer: buffer).split(separator: "\n", omittingEmptySubsequences: false).map {
                    line in
                    let data = line.hasPrefix("data: ") ? line.dropFirst(6) : ""
                    guard !data.isEmpty, let event = try? JSONReader.parse(data.utf8, limits: limits) else {
                        return String(line)
                    }
                    guard filter.holds(event) else { return "" }
                    let row = pages.text("event-row", event.shown).split(whereSeparator: \.isNewline)
                    return "data: " + row.joined(separator: " ")
                }
                return ByteBuffer(string: lines.joined(separator: "\n"))
            }
        )
    }

    // MARK: One event

    @Sendable func explainEvent(_ visit: Visit) async throws -> [String: any Sendable] {
        let place = "/events/\(visit.parameter("id").percentEncodedPart)/explain"
        let answer = try await visit.get(visit.target(place, ["environment": visit.field("environment")]))
        let (event, link, context) = (answer["event"], answer["link"]?.text, answer["context"])
        var values: [String: any Sendable] = ["answer": answer.shown ?? ""]
        values["members"] = event?.members?.filter { $0.value != .null }.map { member in
            ["name": member.key, "value": member.value.text ?? member.value.json()]
        }
        // Of other links only a part was recorded.
        let isWhole = answer["resolution"].map { $0 != .null } ?? false
        values["tryPlace"] = (isWhole ? link : nil).map { link in
            visit.place(
                "/try",
                [
                    "link": link, "platform": context?["platform"]?.text, "app": context?["app"]?.text,
                    "version": context?["appVersion"]?.text, "language": event?["locale"]?.text,
                ]
            )
        }
        guard let link, let resolution = answer["resolution"], resolution != .null else { return values }
        values["tried"] = TriedLink(link, resolution, await table(of: event?["revision"], link, context, visit))
        return values
    }

    /// The routes with which a revision compares the link; nil if the revision, or a part of the link, is gone.
    private func table(of revision: JSONNode?, _ link: String, _ context: JSONNode?, _ visit: Visit) async -> JSONNode?
    {
        guard let revision, revision != .null else { return nil }
        let body: JSONNode = .object([
            "url": .string(link), "tables": .array([revision]), "contexts": .array([context ?? .null]),
        ])
        let target = visit.target("/draft/resolve", ["environment": visit.field("environment")])
        return try? await visit.ask("POST", target, body)["tables"]?.elements?.first
    }

    // MARK: Links without a route

    @Sendable func unmatched(_ visit: Visit) async throws -> [String: any Sendable] {
        let filter = NumbersFilter(visit.query).ofUnmatched
        var values = shown(filter, visit)
        let items = filter.range(until: nextHour()) + filter.items(["zone"]) + ["limit": "100"]
        do {
            let answer = try await visit.get(visit.target("/stats/unmatched", items))
            let ranged = filter.with("from", answer["from"]?.text).with("until", answer["until"]?.text)
            let recorded = answer["unmatchedPath"]?.text.flatMap(SuggestedRoute.Recording.init) ?? .none
            values["recording"] = [recorded.rawValue: true]
            values["withoutPath"] = answer["none"]?.int
            let links = answer["links"]?.elements ?? []
            values["hasShapes"] = !links.isEmpty
            values["shapes"] = links.map { link in
                let path = link["path"]?.text ?? ""
                let route = SuggestedRoute(path, recorded: recorded)
                let suggestion: Visit.Query = ["pattern": route.pattern, "id": route.id, "shape": path]
                return [
                    "path": path, "count": link["count"]?.int ?? 0, "pattern": route.pattern, "id": route.id,
                    "new": visit.place("/routes/new", suggestion + ["environment": filter["environment"]]),
                    "rows": visit.place("/numbers/events", ranged.with("unmatchedPath", path).query),
                ] as [String: any Sendable]
            }
            let rejected = try await visit.get(visit.target("/stats/rejected", items))
            values["reasons"] = (rejected["reasons"]?.elements ?? []).map { item in
                let reason = item["reason"]?.text
                return [
                    "reason": reason ?? "", "count": item["count"]?.int ?? 0,
                    "rows": visit.place("/numbers/events", ranged.with("rejectedReason", reason).query),
                ] as [String: any Sendable]
            }
            values.merge(
                try await visit.answers(["table": visit.target("/draft/routes", ["limit": "200"] + visit.draftItems)])
            ) { $1 }
        } catch let refusal as RefusedRequest {
            values["mistake"] = refusal.detail
        }
        return values
    }
}
