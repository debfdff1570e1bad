import Foundation
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import LinkServer

/// *Setup*: what belongs to a tenant besides its routes and links.
extension Console {
    /// What the page of a list shows.
    func setup(_ list: SetupList) -> @Sendable (Visit) async throws -> [String: any Sendable] {
        { visit in
            var values = Self.frame(list.name)
            do {
                let answer = try await visit.get(list.target(visit))
                values.merge(list.values(answer, visit)) { $1 }
                if list.name == SetupList.domains.name {
                    let hosts = list.items(answer).compactMap { $0["host"]?.text }
                    values.merge(try await association(visit.field("host") ?? hosts.first, visit)) { $1 }
                }
            } catch let refusal as RefusedRequest where [.forbidden, .conflict].contains(refusal.status) {
                values["missing"] = [refusal.detail]
            }
            return values
        }
    }

    /// What every page of *Setup* shows.
    static func frame(_ name: String) -> [String: any Sendable] {
        var values: [String: any Sendable] = ["heading": name, "path": "setup/" + name.lowercased()]
        for (tab, flag) in SetupList.tabs { values[flag] = tab == name }
        values["tabs"] = SetupList.tabs.map {
            ["tab": $0.key, "tabPath": $0.key.lowercased(), "isOpen": $0.key == name] as [String: any Sendable]
        }
        return values
    }

    /// The association files of a host, and what devices would do with a path of it.
    private func association(_ host: String?, _ visit: Visit) async throws -> [String: any Sendable] {
        guard let host else { return [:] }
        let platform = visit.field("platform") ?? "ios"
        var files: [[String: any Sendable]] = []
        for (name, title) in [("ios", "iOS"), ("android", "Android")] {
            var file: [String: any Sendable] = ["title": title, "refused": ""]
            do {
                let answer = try await visit.get(visit.target("/association", ["host": host, "platform": name]))
                file["served"] = answer.shown
                file["json"] = answer["file"]?.json(.pretty)
            } catch let refusal as RefusedRequest {
                file["refused"] = refusal.detail
            }
            files.append(file)
        }
        var values: [String: any Sendable] = [
            "host": host, "hostFiles": files, "form": ["host": host, "path": visit.field("path") ?? "/item/7"],
            "isOnAndroid": platform == "android",
        ]
        guard let path = visit.field("path") else { return values }
        let asked = host.hasPrefix("*.") ? "www" + host.dropFirst() : host
        let question: JSONNode = .object([
            "url": .string("https://\(asked)\(path.hasPrefix("/") ? "" : "/")\(path)"),
            "tenant": .string(visit.tenant), "platform": .string(platform),
        ])
        do {
            let answer = try await visit.ask("POST", "/admin/v1/association/simulate", question)
            values["asked"] = question["url"]?.text
            values["simulation"] = answer.shown
            values["opensApp"] = answer["decision"]?.text == "match"
        } catch let refusal as RefusedRequest {
            values["mistake"] = refusal.detail
        }
        return values
    }

    // MARK: Exports, retention and sessions

    /// Passes a file of an export through.
    @Sendable func exportFile(_ visit: Visit) async throws -> ConsoleAnswer {
        // A name has '='. What no name has is encoded, so that it cannot change the target.
        let parts = (visit.field("path") ?? "").split(separator: "=", omittingEmptySubsequences: false)
        let path = parts.map { String($0).percentEncoded }.joined(separator: "=")
        let answer = try await visit.stream(visit.target("/exports/\(path)"))
        let type = answer.headers[.contentType] ?? "application/octet-stream"
        return .stream(type: type, answer.body, name: path.split(separator: "/").last.map(String.init))
    }

    @Sendable func closeWindow(_ visit: Visit) async throws -> ConsoleAnswer {
        _ = try await visit.ask("POST", visit.target("/exports"))
        return .redirect(to: visit.place("/setup/exports", ["closed": "yes"]))
    }

    @Sendable func dropRows(_ visit: Visit) async throws -> ConsoleAnswer {
        _ = try await visit.ask("POST", visit.target("/retention"))
        return .redirect(to: visit.place("/setup/retention", ["dropped": "yes"]))
    }

    @Sendable func endSession(_ visit: Visit) async throws -> ConsoleAnswer {
        _ = try await visit.ask("DELETE", "/admin/v1/sessions/\((visit.field("id") ?? "").percentEncodedPart)")
        return .redirect(to: visit.place("/setup/sessions", ["ended": "yes"]))
    }
}
