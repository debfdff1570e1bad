import Foundation
import HTTPTransport
import LinkRouting
import LinkServer

/// *Try a link*: what a link does on each platform, and why.
extension Console {
    private static let platforms = ["ios", "android", "other"]

    @Sendable func tryLink(_ visit: Visit) async throws -> [String: any Sendable] {
        let query = visit.query
        var values: [String: any Sendable] = [
            "form": ["table": visit.field("table") ?? "live"],
            "platforms": Self.platforms.map { name in
                ["name": name, "isChosen": name == Self.platform(query)] as [String: any Sendable]
            },
        ]
        guard let link = visit.field("link") else { return values }
        do {
            let tables = [visit.field("table") ?? "live"] + [visit.field("with")].compactMap(\.self)
            let answer = try await resolve(link, tables, visit)
            values["answers"] = (answer["tables"]?.elements ?? []).map { shown($0, of: link, tables.count > 1) }
            values["isAnswered"] = true
            values["isComparison"] = tables.count > 1
            values["devices"] = await devices(link, visit)
            let first = answer["tables"]?.elements?.first?["results"]?.elements?.first
            values["commands"] = first.map { commands(link, query, $0) }
            values["warnings"] = answer["warnings"]?.elements?.compactMap(\.text) ?? []
        } catch let refusal as RefusedRequest {
            values["mistake"] = refusal.detail
        }
        return values
    }

    /// What one table answers.
    private func shown(_ table: JSONNode, of link: String, _ isComparison: Bool) -> [String: any Sendable] {
        let results = table["results"]?.elements ?? []
        var values: [String: any Sendable] = [
            "landings": zip(["As asked", "iPhone", "Android", "Elsewhere"], results).dropFirst().map {
                ["name": $0, "effect": LinkEffect($1).text, "opensApp": $1["action"]?.text == "open_app"]
                    as [String: any Sendable]
            }
        ]
        values["answer"] = results.first.map { TriedLink(link, $0, table) }
        if isComparison { values["name"] = table["table"]?.text ?? table["table"]?.int.map { "revision \($0)" } }
        return values
    }

    private static func platform(_ query: [String: String]) -> String {
        query["platform"].flatMap { platforms.contains($0) ? $0 : nil } ?? "ios"
    }

    /// The context of `POST /resolve` that the form asks for.
    private func context(_ query: [String: String], platform: String) -> JSONNode {
        func text(_ name: String) -> JSONNode? { query[name].flatMap { $0.isEmpty ? nil : .string($0) } }
        return .object([
            "platform": .string(platform), "app": text("app"), "appVersion": text("version"),
            "locale": text("language"), "authenticated": .bool(query["signedIn"] != nil),
            "installed": .bool(query["installed"] != "no"),
        ])
    }

    private func resolve(_ link: String, _ tables: [String], _ visit: Visit) async throws -> JSONNode {
        let platforms = [Self.platform(visit.query)] + Self.platforms
        let body: JSONNode = .object([
            "url": .string(link),
            "tables": .array(tables.map { name in Int64(name).map { .int($0) } ?? .string(name) }),
            "contexts": .array(platforms.map { context(visit.query, platform: $0) }),
        ])
        return try await visit.ask("POST", visit.target("/draft/resolve", visit.draftItems), body)
    }

    /// The same question for a terminal, a suite, a simulator and a device.
    private func commands(_ link: String, _ query: [String: String], _ answer: JSONNode) -> [[String: any Sendable]] {
        let context = context(query, platform: Self.platform(query))
        let body: JSONNode = .object(["url": .string(link), "context": context, "explain": .bool(true)])
        let expected: JSONNode = .object(["outcome": answer["outcome"], "route": answer["route"]?["id"]])
        let test: JSONNode = .object(["link": .string(link), "context": context, "expect": expected])
        return [
            ("curl", "curl -s http://127.0.0.1:8080/resolve -d \(body.json().quotedForShell)"),
            ("suite case", "- \(test.json())"),
            ("simctl", "xcrun simctl openurl booted \(link.quotedForShell)"),
            // The shell of the device reads the words once more.
            ("adb", "adb shell \("am start -a android.intent.action.VIEW -d \(link.quotedForShell)".quotedForShell)"),
        ].map { ["name": $0, "text": $1] }
    }

    /// What iOS and Android do with the link by the live association files; nothing for a link without a host.
    private func devices(_ link: String, _ visit: Visit) async -> [[String: any Sendable]] {
        var devices: [[String: any Sendable]] = []
        for (platform, name) in [("ios", "iOS"), ("android", "Android")] {
            let body: JSONNode = .object([
                "url": .string(link), "tenant": .string(visit.tenant), "platform": .string(platform),
            ])
            guard let answer = try? await visit.ask("POST", "/admin/v1/association/simulate", body) else {
                continue
            }
            let isOpened = answer["decision"]?.text == "match"
            devices.append([
                "name": name, "answer": ShownJSON(object: answer),
                "effect": isOpened ? "opens the app" : "stays in the browser", "opensApp": isOpened,
            ])
        }
        return devices
    }
}
