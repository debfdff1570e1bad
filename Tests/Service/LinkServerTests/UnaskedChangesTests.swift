import HTTPTypes
import LinkRouting
import Testing

/// A promotion does not undo what was changed in its target, and a file does not remove the routes of other owners, unless
/// the request says so.
@Suite(.timeLimit(.minutes(15)))
struct UnaskedChangesTests {
    private static func table(_ routes: some Sequence<Substring>) -> String {
        let list = routes.map { route in
            let parts = route.split(separator: "@")
            let owner = parts.count > 1 ? #","owner":"\#(parts[1])""# : ""
            return #"{"id":"\#(parts[0])","path":"/\#(parts[0])","open":{"screen":"A"}\#(owner)}"#
        }
        return #"{"routes":[\#(list.joined(separator: ","))]}"#
    }

    /// Publishes routes (`staging: a b`), promotes the live table (`staging > production`), or rolls production back
    /// (`back 2`). Each step makes a revision.
    private func run(_ step: String, _ session: AdminSession, note: String = "") async throws -> TestResponse {
        let words = step.split(separator: " ")
        if words[0] == "back" { return try await session.post("revisions/\(words[1])/rollback", note) }
        guard words.count == 3, words[1] == ">" else {
            let place = "environment=\(words[0].dropLast())"
            let draft = try await session.send(.put, "draft?\(place)", Self.table(words.dropFirst()))
            #expect(draft.status == 200, "\(draft.text)")
            return try await session.post("draft/publish?\(place)")
        }
        let live = try await session.get("table?environment=\(words[0])").headers[.eTag]?.dropFirst().dropLast()
        let place = "environment=\(words[0])&to=\(words[2])"
        let plan = try await session.get("revisions/\(live ?? "")/plan?\(place)")
        #expect(plan.status == 200, "\(plan.text)")
        let answer = try await session.post("revisions/\(live ?? "")/promote?\(place)", note)
        guard note.isEmpty else { return answer }
        #expect(plan.json?["undoes"] == (answer.code == "undoes_changes" ? answer.json?["changes"] : nil))
        return answer
    }

    @Test(
        arguments: [
            (["production: a", "staging: a b"], nil), (["staging: a b"], nil),
            (["production: a", "staging: a", "production: a h"], "removes 'h' for /h"),
            (["production: a", "staging: a", "production: a h", "staging: a h b"], nil),
            (["production: a", "production > staging", "production: a h", "staging: a b"], "removes 'h' for /h"),
            (["production: a", "production > staging", "staging: a b"], nil),
            (["staging: a", "staging > production", "production: a h", "staging: a b"], "removes 'h' for /h"),
            (["staging: a h", "staging > production", "production: a", "staging: a h b"], "adds 'h' for /h"),
            // A rollback goes back to the step of the table that it publishes.
            (
                ["staging: a", "staging > production", "staging: b", "staging > production", "back 2", "staging: c"],
                nil
            ),
            // The table that was rolled back.
            (
                ["staging: a", "staging > production", "staging: a b", "staging > production", "back 2"],
                "adds 'b' for /b"
            ),
            // Nothing shows what both had in common.
            (["staging: a", "production: h"], "removes 'h' for /h"),
        ] as [([String], String?)]
    )
    func promotionUndoesNothingSilently(history: [String], words: String?) async throws {
        try await withService { service in
            let session = try await AdminSession(service)
            #expect(try await session.put("settings", yaml: AdminSession.settings).status == 201)
            for step in history {
                let answer = try await run(step, session)
                #expect(answer.status == 201, "\(step): \(answer.text)")
            }
            let answer = try await run("staging > production", session)
            guard let words else {
                #expect(answer.status == 201, "\(answer.text)")
                return
            }
            #expect(answer.status == 409 && answer.code == "undoes_changes", "\(answer.text)")
            #expect(answer.json?["changes"]?["words"]?.elements?.compactMap(\.text) == [words], "\(answer.text)")
            let forced = try await run("staging > production", session, note: #"{"force":true}"#)
            #expect(forced.status == 201 || forced.status == 200, "\(forced.text)")
        }
    }

    @Test func onlyAPromotionTakesForce() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let answer = try await session.post("revisions/1/rollback", #"{"force":true}"#)
            #expect(answer.status == 400 && answer.code == "invalid_request", "\(answer.text)")
        }
    }

    @Test(
        arguments: [
            ("a@app b@blog", "a@app", ["b"]), ("a@app b@blog", "", ["a", "b"]), ("a b@blog", "a", ["b"]),
            ("a b@blog", "b@blog", ["a"]), ("a@app b@app", "a@app", []), ("a b", "a", []), ("a b", "", ["a", "b"]),
            ("a@app b@blog", "a@app b@app", []),
        ] as [(String, String, [String])]
    )
    func fileRemovesNoRoutesOfOthersSilently(live: String, file: String, removed: [String]) async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            _ = try await session.send(.put, "draft", Self.table(live.split(separator: " ")))
            #expect(try await session.post("draft/publish").status == 201)
            let table = Self.table(file.split(separator: " "))
            let plan = try await session.post("draft/plan", #"{"table":\#(table)}"#)
            let planned = plan.json?["removesOthers"]?["removed"]?.elements?.compactMap { $0["id"]?.text }
            #expect((planned ?? []) == removed, "\(plan.text)")
            let applied = try await session.post("apply", #"{"table":\#(table)}"#)
            guard !removed.isEmpty else {
                #expect(applied.status == 201, "\(applied.text)")
                return
            }
            #expect(applied.status == 409 && applied.code == "removes_others", "\(applied.text)")
            #expect(applied.json?["changes"] == plan.json?["removesOthers"])
            let told = try await session.post("apply", #"{"table":\#(table),"removeOthers":true}"#)
            #expect(told.status == 201, "\(told.text)")
        }
    }
}
