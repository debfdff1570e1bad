extension RouteTable {
    /// Maximum number of routes of a table.
    public static let maximumRoutes = 1_000_000
    /// Maximum number of reported errors, so that a document of a million wrong routes does not become a million
    /// messages.
    private static let maximumErrors = 1_000

    package static let keys = ["formatVersion", "requires", "defaults", "screens", "routes"]

    /// All errors of a table; at least one.
    public struct DecodingErrors: Error, Hashable, Sendable, CustomStringConvertible {
        public var errors: [DocumentError]
        public var description: String { errors.map(\.description).joined(separator: "\n") }

        public init(_ errors: [DocumentError]) { self.errors = errors }
    }

    /// Reads `{formatVersion, requires, defaults, screens, routes}`. Reading continues after an invalid route, so that all
    /// errors are reported together, up to a thousand.
    public init(_ field: DocumentField) throws(DecodingErrors) {
        var errors: [DocumentError] = []
        do throws(DocumentError) {
            self = try Self.decode(field, &errors)
        } catch {
            throw DecodingErrors([error])
        }
        guard errors.isEmpty else { throw DecodingErrors(errors) }
    }

    private static func decode(_ field: DocumentField, _ errors: inout [DocumentError]) throws(DocumentError)
        -> RouteTable
    {
        let object = try field.object(keys)
        if let version = object["formatVersion"] { try checkFormatVersion(version) }
        if let requires = object["requires"] {
            let unknown = try unknownFeatures(requires)
            guard unknown.isEmpty else {
                throw requires.error(
                    "this engine does not support \(unknown.joined(separator: ", ")); upgrade Fingerpost."
                )
            }
        }
        var table = RouteTable()
        var routeDefaults = Route.Defaults()
        if let defaults = object["defaults"] {
            let object = try defaults.object(Defaults.keys)
            if let fallback = object["fallback"] {
                let target = try fallback.object(Defaults.fallbackKeys)
                table.defaults.fallback = try RouteTarget(target, forward: .none)
            }
            routeDefaults.letterCase = try object["caseSensitive"].map(LetterCase.init) ?? .sensitive
            routeDefaults.trailingSlash = try object["trailingSlash"].map(Route.TrailingSlash.init) ?? .ignored
            table.defaults.plusSign = try object["plusIsSpace"]?.bool() == true ? .space : .plus
        }
        if let screens = object["screens"] { table.screens = try ScreenDeclaration.all(screens) }
        guard let routes = object["routes"] else { return table }
        guard let nodes = routes.node.elements else {
            throw routes.error("\(routes.shown) is \(routes.node.kind); write a list.")
        }
        guard nodes.count <= maximumRoutes else {
            throw field.error("a table can have at most \(maximumRoutes) routes.")
        }
        var ids: [RouteID: Int] = [:]
        var arguments = SharedArguments()
        // Creates one field at a time: a list of a million fields with their paths would take more memory than the
        // table.
        for (index, node) in nodes.enumerated() {
            let field = DocumentField(node, path: "\(routes.path)[\(index)]", isStored: field.isStored)
            do throws(DocumentError) {
                var route = try Route(field, defaults: routeDefaults)
                arguments.share(with: &route)
                if let first = ids.updateValue(index, forKey: route.id) {
                    let line = nodes[first].position.line
                    throw field.error(
                        "duplicate id '\(route.id)', first used at routes[\(first)]\(line > 0 ? " in line \(line)" : ""); give "
                            + "each route its own."
                    )
                }
                table.routes.append(route)
            } catch {
                errors.append(error)
                guard errors.count < maximumErrors else {
                    errors.append(
                        field.error("only the first \(maximumErrors) errors are listed; more routes may have errors.")
                    )
                    return table
                }
            }
        }
        return table
    }

    /// Throws for a format version that this engine does not read.
    package static func requireFormatVersion(of object: ObjectField) throws(DocumentError) {
        guard let version = object["formatVersion"] else {
            throw object.field.error("'formatVersion' is missing; add 'formatVersion: \(formatVersion)'.")
        }
        try checkFormatVersion(version)
    }

    public static func checkFormatVersion(_ field: DocumentField) throws(DocumentError) {
        guard field.node.int == formatVersion else {
            throw field.error("unknown format \(field.shown); this engine reads formatVersion: \(formatVersion).")
        }
    }
}

extension RouteTable.Defaults {
    package static let keys = ["fallback", "caseSensitive", "trailingSlash", "plusIsSpace"]
    package static let fallbackKeys = ["open", "web", "store", "forward", "data", "campaign", "association"]
}
