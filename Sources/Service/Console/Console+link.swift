import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import LinkServer

/// The page of a short link.
extension Console {
    @Sendable func link(_ visit: Visit) async throws -> [String: any Sendable] {
        let link = try await visit.get(visit.linkTarget)
        var values = try await visit.answers(["history": visit.linkTarget + "/history"])
        let code = link["code"]?.text ?? ""
        let status = link["status"]?.text ?? ""
        let version = link["version"]?.int.map { "\($0)" } ?? ""
        let stored = Dictionary(uniqueKeysWithValues: LinkField.allCases.map { ($0.rawValue, $0.text(in: link) ?? "") })
        let isSaving = visit.form["act"] == "save"
        values["link"] = link.shown
        values["here"] = visit.linkPlace(code)
        values["heading"] = link["url"]?.text ?? code
        values["image"] = String(code.map { $0 == "/" ? "-" : $0 })
        values["fields"] = isSaving ? visit.form : stored
        // After a conflict, the form shows what is stored now, and saves in its place.
        values["current"] = version
        if isSaving, visit.form["version"] != version {
            let typed = visit.typedLink
            values["differences"] = LinkField.allCases.filter { visit.form[$0.rawValue] != nil }.compactMap { field in
                let (typed, stored) = (field.text(in: typed) ?? "", field.text(in: link) ?? "")
                return typed == stored ? nil : ["name": field.rawValue, "typed": typed, "stored": stored]
            }
        }
        values["isEnded"] = ["archived", "blocked"].contains(status)
        values["isBlocked"] = status == "blocked"
        let days = link["clicks"]?["days"]?.elements ?? []
        values["bars"] = Self.bars(days)
        values["days"] = days.reduce(0) { $0 &+ ($1["count"]?.int ?? 0) }
        if let url = link["url"]?.text, let tenant = TenantID(visit.tenant),
            let card = try await LandingPreview(dependencies).card(of: url, of: tenant)
        {
            let texts = [
                "title": card.title, "description": card.description, "image": card.image, "host": Self.host(url),
            ]
            values["card"] = texts.compactMapValues(\.self)
        }
        return values
    }

    private static func host(_ url: String) -> String? {
        url.split(separator: "/", maxSplits: 2).dropFirst().first.map(String.init)
    }

    /// The days as bars of a picture of 300 × 100.
    private static func bars(_ days: [JSONNode]) -> [[String: String]] {
        let counts = days.map { $0["count"]?.int ?? 0 }
        guard let most = counts.max(), most > 0 else { return [] }
        return zip(days, counts).enumerated().map { index, day in
            let height = day.1 == 0 ? 0 : max(2, Int(Double(day.1) / Double(most) * 100))
            return [
                "x": "\(index * 10)", "y": "\(100 - height)", "height": "\(height)", "day": day.0["day"]?.text ?? "",
                "count": "\(day.1)",
            ]
        }
    }

    // MARK: Changing

    @Sendable func saveLink(_ visit: Visit) async throws -> ConsoleAnswer {
        var members = visit.typedLink.members ?? []
        // A tag may have a comma; tags that were not edited stay as they are.
        let stored = try? await visit.get(visit.linkTarget)
        if let index = members.firstIndex(where: { $0.key == "tags" }),
            let stored, visit.field("tags") == LinkField.tags.text(in: stored)
        {
            members[index].value = stored["tags"] ?? .null
        }
        return try await put(JSONNode(.object(members)), visit, ifMatch: visit.field("version"))
    }

    /// Stores an older version once more.
    @Sendable func revertLink(_ visit: Visit) async throws -> ConsoleAnswer {
        let history = try await visit.send("GET", visit.linkTarget + "/history")
        let version = visit.field("older").flatMap { Int64($0) }
        guard let link = try history.json["changes"]?.elements?.first(where: { $0["version"]?.int == version })?["link"]
        else {
            throw RefusedRequest(404, "This version is not among the last 20 any more.")
        }
        return try await put(link, visit, ifMatch: visit.field("version"))
    }

    private func put(_ link: JSONNode, _ visit: Visit, ifMatch version: String?) async throws -> ConsoleAnswer {
        let content = (link.members ?? []).filter { ShortLink.Content.keys.contains($0.key) }
        _ = try await visit.ask("PUT", visit.linkTarget, JSONNode(.object(content)), ifMatch: version)
        return .redirect(to: visit.linkPlace(visit.parameter("code")) + "?saved=yes")
    }

    @Sendable func archiveLink(_ visit: Visit) async throws -> ConsoleAnswer { try await change(visit, "archive") }

    @Sendable func restoreLink(_ visit: Visit) async throws -> ConsoleAnswer { try await change(visit, "restore") }

    @Sendable func blockLink(_ visit: Visit) async throws -> ConsoleAnswer {
        try await change(visit, "block", .object(["reason": .string(visit.field("reason") ?? "")]))
    }

    private func change(_ visit: Visit, _ act: String, _ body: JSONNode? = nil) async throws -> ConsoleAnswer {
        _ = try await visit.ask("POST", "\(visit.linkTarget)/\(act)", body)
        return .redirect(to: visit.linkPlace(visit.parameter("code")))
    }

    /// The QR code, with the size and colours that the address asks for.
    @Sendable func linkImage(_ visit: Visit, _ name: String) async throws -> ConsoleAnswer {
        let query = visit.request.uri.query.map { "?" + $0 } ?? ""
        let image = try await visit.send("GET", "\(visit.linkTarget)/\(name)\(query)")
        return .file(type: image.headers[.contentType] ?? "application/octet-stream", image.body)
    }
}

extension Visit {
    fileprivate var linkTarget: String { target("/short-links/\(parameter("code").percentEncodedPart)") }
}
