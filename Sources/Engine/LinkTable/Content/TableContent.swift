package import LinkRouting

/// The content of an app's table before it is signed: the claims, and the parts of the settings and the table that the
/// app needs.
///
/// The content omits the declarations of screens, owners, tags, notes and previews, other apps, fingerprints, the
/// settings of association files, and the destinations of routes with `audience: server` and `follow`. A stub replaces
/// each such route. It has a meaningless id, the host and the path, and requires the feature ``serverFeature``, which no
/// engine has. Links that match it are therefore undecided, and the order of the other routes does not change.
package struct TableContent: Sendable {
    /// The exact bytes that are signed: compact JSON.
    package let payload: [UInt8]
    package let scope: TableScope

    /// The feature that a stub requires.
    package static let serverFeature = "server"

    /// The keys of a route that an app does not need.
    private static let omittedRouteKeys = ["owner", "tags", "note", "preview", "audience"]
    /// The keys of a route that its stub keeps. Conditions may be secret.
    private static let stubKeys = ["host", "path", "caseSensitive"]
    private static let omittedAppKeys = ["fingerprints", "domains", "environment", "environments"]

    /// - Parameters:
    ///   - table: The stored table: `{formatVersion, requires, defaults, routes}`.
    ///   - settings: The tenant's stored settings.
    /// - Throws: If the settings have no such app in the environment.
    package init(_ claims: TableClaims, table: JSONNode, settings: JSONNode) throws(TableContentError) {
        var writer = JSONWriter(reservingCapacity: 4_096)
        writer.beginObject()
        writer.member("formatVersion", RouteTable.formatVersion)
        writer.list("requires", claims.requires + (table["requires"].map(Self.texts) ?? []))
        writer.member("tenant", claims.scope.tenant.rawValue)
        writer.member("environment", claims.scope.environment.rawValue)
        writer.member("app", claims.scope.app.rawValue)
        writer.member("revision", claims.revision.rawValue)
        writer.member("settingsRevision", claims.settingsRevision)
        writer.member("issuedAt", claims.issuedAt.description)
        writer.member("expiresAt", claims.expiresAt.description)
        if !claims.serverFacts.isEmpty { writer.list("serverFacts", claims.serverFacts) }
        writer.member("identity", try Self.identity(settings, claims.scope))
        writer.key("table")
        writer.beginObject()
        if let defaults = Self.defaults(table) { writer.member("defaults", defaults) }
        writer.key("routes")
        writer.beginArray()
        var names = StubNames(table["routes"]?.elements ?? [])
        for route in table["routes"]?.elements ?? [] { writer.node(Self.route(route, &names)) }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        payload = writer.finish()
        scope = claims.scope
    }

    // MARK: The settings

    private static func identity(_ settings: JSONNode, _ scope: TableScope) throws(TableContentError) -> JSONNode {
        .object([
            "domains": settings["domains"],
            "schemes": settings["schemes"],
            "apps": .array([try app(settings, scope)]),
            "destinations": settings["destinations"],
            "links": settings["links"],
        ])
    }

    private static func app(_ settings: JSONNode, _ scope: TableScope) throws(TableContentError) -> JSONNode {
        let apps = settings["apps"]?.elements ?? []
        guard let app = apps.first(where: { $0["id"]?.text == scope.app.rawValue }) else {
            throw TableContentError(
                "The settings of '\(scope.tenant)' have no app '\(scope.app)'; \(TableContentError.advice(on: apps))"
            )
        }
        let environments = app["environments"] ?? app["environment"]
        guard environments.map({ texts($0).contains(scope.environment.rawValue) }) ?? true else {
            throw TableContentError("The app '\(scope.app)' is not part of the environment '\(scope.environment)'.")
        }
        return app.without(omittedAppKeys)
    }

    private static func texts(_ node: JSONNode) -> [String] { (node.elements ?? [node]).compactMap(\.text) }

    // MARK: The table

    private static func defaults(_ table: JSONNode) -> JSONNode? {
        guard let defaults = table["defaults"], let members = defaults.members else { return nil }
        return JSONNode(
            .object(
                members.filter { $0.value.value != .null && $0.key != "preview" }.map { member in
                    guard member.key == "fallback" else { return member }
                    return JSONNode.Member(member.key, member.value.without(["association"]))
                }
            )
        )
    }

    private static func route(_ route: JSONNode, _ names: inout StubNames) -> JSONNode {
        let follows = route["follow"].map { $0.value != .null } ?? false
        guard route["audience"]?.text == "server" || follows else { return route.without(omittedRouteKeys) }
        var members = [JSONNode.Member("id", .string(names.next()))]
        for key in stubKeys {
            if let value = route[key], value.value != .null { members.append(JSONNode.Member(key, value)) }
        }
        members.append(JSONNode.Member("requires", .array([.string(serverFeature)])))
        return JSONNode(.object(members))
    }

    /// The ids of stubs: `server-1`, `server-2` and so on, without the ids of routes.
    private struct StubNames {
        private let taken: Set<String>
        private var count = 0

        init(_ routes: [JSONNode]) {
            taken = Set(routes.compactMap { $0["id"]?.text }.filter { $0.hasPrefix("server-") })
        }

        mutating func next() -> String {
            repeat { count += 1 } while taken.contains("server-\(count)")
            return "server-\(count)"
        }
    }
}

/// The reason why there is no table for an app, with advice.
package struct TableContentError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    fileprivate static func advice(on apps: [JSONNode]) -> String {
        let names = apps.compactMap { $0["id"]?.text }
        return names.isEmpty ? "add it under 'apps'." : "name one of: \(names.joined(separator: ", "))."
    }
}

extension JSONNode {
    /// The object without these members and without members that are null.
    fileprivate func without(_ keys: [String]) -> JSONNode {
        guard let members else { return self }
        return JSONNode(
            .object(members.filter { member in member.value.value != .null && !keys.contains(member.key) })
        )
    }
}

extension JSONWriter {
    fileprivate mutating func list(_ name: StaticString, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
