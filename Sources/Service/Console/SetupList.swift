import LinkRouting

/// A list of *Setup*: the request whose answer has its items, and the members of an item that its columns show.
struct SetupList: Sendable {
    let name: String
    /// The target of the request; `T` is the tenant's part of it.
    let request: String
    /// The members of the answer that have the items, such as `settings.apps`. Of several, each item has its name as `state`.
    let members: [String]
    /// The names of the columns, and the member that each shows, or the first of several: `bundleID|package`.
    let columns: KeyValuePairs<String, String>
    /// Where a member of an item leads, from the path of the list.
    var link: (member: String, place: @Sendable (String) -> String)?

    /// The tabs in their order, each with the name that is true in its templates. Brand and Settings are forms.
    static let tabs: KeyValuePairs = [
        "Domains": "isDomains", "Apps": "isApps", "Brand": "isBrand", "Settings": "isSettings", "Keys": "isKeys",
        "Exports": "isExports", "Audit": "isAudit", "Retention": "isRetention", "Sessions": "isSessions",
        "Nodes": "isNodes",
    ]
    static let domains = SetupList(
        name: "Domains",
        request: "T/settings",
        members: ["settings.domains"],
        columns: ["Host": "host", "Serves": "serves", "Port": "port"],
        link: ("host", { "?host=\($0.percentEncoded)#files" })
    )
    static let apps = SetupList(
        name: "Apps",
        request: "T/settings",
        members: ["settings.apps"],
        columns: [
            "App": "id", "Platform": "platform", "Bundle or package": "bundleID|package", "Team": "teamID",
            "Domains": "domains", "Stores": "stores",
        ]
    )
    static let keys = SetupList(
        name: "Keys",
        request: "/admin/v1/keys",
        members: ["keys"],
        columns: [
            "Name": "name", "Id": "id", "Tenant": "tenant", "Scopes": "scopes", "Environments": "environments",
            "Owners": "owners", "Paths": "pathPrefixes", "Used": "lastUsedAt", "Ends": "expiresAt",
            "Revoked": "revokedAt",
        ]
    )
    static let exports = SetupList(
        name: "Exports",
        request: "T/exports",
        members: ["exports"],
        columns: [
            "From": "window.start", "Until": "window.end", "Events": "rows", "Bytes": "file.bytes",
            "Version": "version", "Node": "node", "File": "file.path",
        ],
        link: ("file.path", { "/file?path=\(String($0.drop { $0 != "/" }.dropFirst()).percentEncoded)" })
    )
    static let audit = SetupList(
        name: "Audit",
        request: "/admin/v1/audit?tenant=",
        members: ["audit"],
        columns: [
            "When": "at", "Who": "actor.name", "What": "action", "Of": "subject", "Environment": "environment",
            "Before": "before", "After": "after",
        ]
    )
    static let retention = SetupList(
        name: "Retention",
        request: "T/retention",
        members: ["kept", "waiting", "dropped"],
        columns: ["Day": "day", "Events": "rows", "State": "state"]
    )
    static let sessions = SetupList(
        name: "Sessions",
        request: "/admin/v1/sessions",
        members: ["sessions"],
        columns: ["Key": "keyName", "Id of the key": "key", "Since": "createdAt", "Used": "usedAt", "Ends": "endsAt"]
    )
    static let nodes = SetupList(
        name: "Nodes",
        request: "T/stats/totals",
        members: ["nodes"],
        columns: ["Node": "node", "Last event": "seq", "Known until": "through"]
    )

    private static let codes: Set = [
        "host", "id", "key", "bundleID|package", "teamID", "action", "subject", "before", "after", "file.path", "node",
    ]

    func target(_ visit: Visit) -> String {
        let target = request.hasPrefix("T/") ? visit.target("") + request.dropFirst() : request
        let tenant = target.hasSuffix("=") ? visit.tenant.percentEncoded : ""
        let cursor = visit.field("cursor").map { (tenant.isEmpty ? "?" : "&") + "cursor=\($0.percentEncoded)" }
        return target + tenant + (cursor ?? "")
    }

    /// What the page shows of an answer.
    func values(_ answer: JSONNode, _ visit: Visit) -> [String: any Sendable] {
        let items = items(answer)
        let rows = items.map { item -> [String: any Sendable] in
            let cells = columns.map { cell($0.value, item, visit) }
            return ["id": item["id"]?.text ?? "", "cells": cells, "isValid": item["revokedAt"] == nil]
        }
        let cursor = answer["nextCursor"]?.text
        return [
            "columns": columns.map {
                ["column": $0.key, "isNumber": items.first?.at($0.value)?.double != nil] as [String: any Sendable]
            },
            "rows": rows, "hasRows": !rows.isEmpty, "isEmpty": rows.isEmpty,
            "nextPage": cursor.map { visit.place("/setup/\(name.lowercased())", ["cursor": $0]) } ?? "",
        ]
    }

    func items(_ answer: JSONNode) -> [JSONNode] {
        members.flatMap { name in
            (answer.at(name)?.elements ?? []).map { item in
                if self.name == Self.domains.name {
                    // A domain may be its host alone.
                    let (host, serves) = (item["host"] ?? item, item["serves"] ?? .string("links"))
                    return .object(["host": host, "serves": serves, "port": item["port"]])
                }
                guard members.count > 1 else { return item }
                return JSONNode(.object((item.members ?? []) + [JSONNode.Member("state", .string(name))]))
            }
        }
    }

    private func cell(_ member: String, _ item: JSONNode, _ visit: Visit) -> [String: any Sendable] {
        let node = item.at(member)
        let text = node?.cell ?? ""
        let place = link.flatMap { $0.member == member && !text.isEmpty ? $0.place(text) : nil }
        return [
            "text": text, "isCode": Self.codes.contains(member), "isNumber": node?.double != nil,
            "time": Timestamp(text) == nil ? "" : text,
            "place": place.map { visit.place("/setup/\(name.lowercased())") + $0 } ?? "",
        ]
    }
}

extension JSONNode {
    /// The member of a name such as `window.start`, or the first of several.
    fileprivate func at(_ names: String) -> JSONNode? {
        names.split(separator: "|").lazy.compactMap { name in
            name.split(separator: ".").reduce(Optional(self)) { $0?[String($1)] }
        }.first
    }

    /// The value in a cell of a table: a list as its elements.
    fileprivate var cell: String {
        switch value {
        case .null: ""
        case .bool(let bool): bool ? "yes" : "no"
        case .number(let text), .string(let text): text
        case .array(let elements): elements.map(\.cell).joined(separator: ", ")
        case .object: self["kind"]?.text ?? String(json().prefix(200))
        }
    }
}
