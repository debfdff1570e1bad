import Foundation
import LinkCatalog
import LinkRouting

/// *Publish*: what a draft would change, and the revisions that were published.
extension Console {
    /// The most bytes of a removed draft that the page offers to write again.
    private static let maximumUndo = 256 << 10

    @Sendable func publication(_ visit: Visit) async throws -> [String: any Sendable] {
        var values = try await live(visit)
        let head = try await visit.send(
            "GET",
            visit.target("/draft/routes", ["limit": "1"] + visit.draftItems)
        )
        values["version"] = head.unquotedVersion
        values["form"] = ["version": head.unquotedVersion, "message": "", "reason": ""]
        do {
            let plan = try await visit.ask("POST", visit.target("/draft/plan", visit.draftItems))
            values.merge(Self.shown(plan: plan)) { $1 }
            values["suites"] = try await visit.ask("POST", visit.target("/draft/test", visit.draftItems)).shown
            if visit.query["replay"] != nil { values["replay"] = try await replay(visit) }
            if visit.query["association"] != nil { values["association"] = try await movedLinks(visit) }
        } catch let refusal as RefusedRequest {
            values["mistake"] = refusal.detail
            values["refusal"] = refusal.body.shown
            values["findings"] = refusal.findings.map { $0.shown ?? "" } as [any Sendable]
        }
        return values
    }

    /// A plan with the first of its changes: a page has at most 100 KB.
    private static func shown(plan: JSONNode) -> [String: any Sendable] {
        let words = plan["changes"]?["words"]?.elements ?? []
        let findings = plan["findings"]?.elements ?? []
        return [
            "planFindings": findings.prefix(50).map { $0.shown ?? "" } as [any Sendable],
            "moreFindings": max(0, findings.count - 50), "hasMoreFindings": findings.count > 50,
            "plan": plan.shown ?? "", "isUnchanged": words.isEmpty,
            "changedWords": words.prefix(200).compactMap(\.text), "moreWords": max(0, words.count - 200),
            "hasMoreWords": words.count > 200,
        ]
    }

    /// The live revision, and the environments that may have another one.
    private func live(_ visit: Visit) async throws -> [String: any Sendable] {
        let newest = try await visit.get(visit.target("/revisions", ["limit": "1", "environment": visit.environment]))
        return ["live": newest["revisions"]?.elements?.first?.shown ?? false]
    }

    /// Links that the draft's association files move between app and browser, of all that the files cover.
    private func movedLinks(_ visit: Visit) async throws -> [String: any Sendable] {
        let settings = try await visit.get(visit.target("/settings"))
        let hosts = SetupList.domains.items(settings).compactMap { $0["host"]?.text }
        var files: [any Sendable] = []
        for host in hosts.prefix(Self.maximumHosts) {
            for platform in ["ios", "android"] {
                let query: Visit.Query = ["host": host, "platform": platform, "draft": visit.draft ?? "main"]
                files.append(try await visit.get(visit.target("/association", query)).shown ?? "")
            }
        }
        return [
            "files": files, "moreHosts": max(0, hosts.count - Self.maximumHosts),
            "hasMoreHosts": hosts.count > Self.maximumHosts,
        ]
    }

    /// Of hosts whose association files the page compares.
    private static let maximumHosts = 10

    @Sendable func publish(_ visit: Visit) async throws -> ConsoleAnswer {
        let reason = visit.field("reason").map { JSONNode.object(["reason": .string($0)]) }
        let answer = try await visit.ask(
            "POST",
            visit.target("/draft/publish", visit.draftItems),
            .object(["message": visit.field("message").map(JSONNode.string), "override": reason]),
            ifMatch: visit.field("version")
        )
        return visit.published(answer)
    }

    /// Removes the draft, and shows the form that writes it again.
    @Sendable func discardDraft(_ visit: Visit) async throws -> ConsoleAnswer {
        let draft = try await visit.send("GET", visit.target("/draft", visit.draftItems))
        let drafts = try await visit.get(visit.target("/drafts", ["environment": visit.environment]))
        let base = drafts["drafts"]?.elements?.first { $0["draft"]?.text == visit.draft ?? "main" }?["base"]?.int
        _ = try await visit.send("DELETE", visit.target("/draft", visit.draftItems), ifMatch: visit.field("version"))
        var values = try await publication(visit)
        values["discarded"] =
            ["text": draft.body.count <= Self.maximumUndo ? draft.text : "", "base": "\(base ?? 0)"]
            as [String: any Sendable]
        return .page("publish", values)
    }

    @Sendable func restoreDraft(_ visit: Visit) async throws -> ConsoleAnswer {
        _ = try await visit.send(
            "PUT",
            visit.target("/draft", ["base": visit.field("base")] + visit.draftItems),
            ("application/json", visit.form["text"] ?? "")
        )
        return .redirect(to: visit.place("/routes/publish", visit.draftItems))
    }

    // MARK: Revisions

    @Sendable func revisions(_ visit: Visit) async throws -> [String: any Sendable] {
        var values = try await live(visit)
        let list = try await visit.get(
            visit.target("/revisions", ["cursor": visit.field("cursor"), "environment": visit.environment])
        )
        let newest = (values["live"] as? ShownJSON)?.object["revision"]?.int
        values["rows"] = (list["revisions"]?.elements ?? []).map { row in
            ["row": row.shown ?? "", "isLive": row["revision"]?.int == newest] as [String: any Sendable]
        }
        values["isPublished"] = newest != nil && newest.map { "\($0)" } == visit.field("published")
        values["nextPage"] = list["nextCursor"]?.text.map {
            visit.place("/routes/revisions", ["cursor": $0, "environment": visit.environment])
        }
        values["environments"] = try await environments(visit)
        return values
    }

    /// A revision, and what a rollback to it would change, or with `?to=` its promotion to another environment.
    @Sendable func revision(_ visit: Visit) async throws -> [String: any Sendable] {
        let path = "/revisions/\(visit.parameter("revision").percentEncodedPart)"
        let to = visit.field("to")
        var values = try await live(visit)
        values["revision"] = try await visit.get(visit.target(path, ["environment": visit.environment])).shown
        values["environments"] = try await environments(visit)
        if let parent = (values["revision"] as? ShownJSON)?.object["parent"]?.int {
            let query: Visit.Query = ["to": visit.parameter("revision"), "environment": visit.environment]
            values["difference"] = try? await visit.get(visit.target("/revisions/\(parent)/diff", query)).shown
        }
        let plan = try await visit.send(
            "GET",
            visit.target(path + "/plan", ["environment": visit.environment, "to": to])
        )
        values.merge(Self.shown(plan: try plan.json)) { $1 }
        values["version"] = plan.unquotedVersion
        values["form"] = ["version": plan.unquotedVersion, "message": "", "reason": ""]
        return values
    }

    @Sendable func rollBack(_ visit: Visit) async throws -> ConsoleAnswer { try await publishAgain("rollback", visit) }
    @Sendable func promote(_ visit: Visit) async throws -> ConsoleAnswer { try await publishAgain("promote", visit) }

    private func publishAgain(_ act: String, _ visit: Visit) async throws -> ConsoleAnswer {
        let to = act == "promote" ? visit.field("to") : nil
        let answer = try await visit.ask(
            "POST",
            visit.target(
                "/revisions/\(visit.parameter("revision").percentEncodedPart)/\(act)",
                ["environment": visit.environment, "to": to]
            ),
            .object([
                "message": visit.field("message").map(JSONNode.string),
                "override": visit.field("reason").map { .object(["reason": .string($0)]) },
                "force": visit.form["force"].map { _ in .bool(true) },
            ]),
            ifMatch: visit.field("version")
        )
        return visit.published(answer, in: to)
    }

    /// The other environments in which the tenant may publish.
    private func environments(_ visit: Visit) async throws -> [any Sendable] {
        let settings = try await visit.get(visit.target("/settings"))["settings"]
        let apps = (settings?["apps"]?.elements ?? []).flatMap { $0["environments"]?.elements ?? [] }
        let names = ((settings?["environments"]?.elements ?? []) + apps).compactMap(\.text)
        let current = visit.environment ?? "production"
        return Set(names + ["production"]).subtracting([current]).sorted()
    }
}

extension Visit {
    /// Nil for production.
    var environment: String? { field("environment").flatMap { $0 == "production" ? nil : $0 } }
    /// Nil for the draft `main`.
    var draft: String? { field("draft").flatMap { $0 == "main" ? nil : $0 } }
    var draftItems: Query { ["environment": environment, "draft": draft] }

    /// Leads to the revisions, and says which one is live.
    fileprivate func published(_ answer: JSONNode, in other: String? = nil) -> ConsoleAnswer {
        .redirect(
            to: place(
                "/routes/revisions",
                ["published": answer["revision"]?.int.map { "\($0)" }, "environment": other ?? environment]
            )
        )
    }
}

extension APIAnswer {
    /// The ETag without its quotes, as a form's field.
    var unquotedVersion: String { (version ?? "").filter { $0 != "\"" } }
}
