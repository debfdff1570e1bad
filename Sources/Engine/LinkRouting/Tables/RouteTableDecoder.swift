/// Reads a table: first everything but the routes, then one route after the other.
struct RouteTableDecoder {
    private(set) var table = RouteTable()
    private(set) var routeDefaults = Route.Defaults()
    private var known: [RouteID: (index: Int, line: Int)] = [:]
    private var arguments = SharedArguments()
    /// The number of elements of `routes` so far, including those with errors.
    private var count = 0

    /// - Parameter object: The table, of which `routes` is not read.
    init(_ object: ObjectField) throws(DocumentError) {
        if let version = object["formatVersion"] { try RouteTable.checkFormatVersion(version) }
        if let requires = object["requires"] {
            let unknown = try unknownFeatures(requires)
            guard unknown.isEmpty else {
                throw requires.error(
                    "this engine does not support \(unknown.joined(separator: ", ")); upgrade Fingerpost."
                )
            }
        }
        if let defaults = object["defaults"] {
            let object = try defaults.object(RouteTable.Defaults.keys)
            if let fallback = object["fallback"] {
                let target = try fallback.object(RouteTable.Defaults.fallbackKeys)
                table.defaults.fallback = try RouteTarget(target, forward: .none)
            }
            if let preview = object["preview"] { table.defaults.preview = try PreviewTemplates(preview) }
            routeDefaults.letterCase = try object["caseSensitive"].map(LetterCase.init) ?? .sensitive
            routeDefaults.trailingSlash = try object["trailingSlash"].map(Route.TrailingSlash.init) ?? .ignored
            table.defaults.plusSign = try object["plusIsSpace"]?.bool() == true ? .space : .plus
        }
        if let screens = object["screens"] { table.screens = try ScreenDeclaration.all(screens) }
    }

    /// Reads the next element of `routes`. After an error, it continues with the element that follows.
    mutating func append(_ field: DocumentField) throws(DocumentError) {
        let index = count
        count += 1
        var route = try Route(field, defaults: routeDefaults)
        arguments.share(with: &route)
        if let first = known.updateValue((index, field.node.position.line), forKey: route.id) {
            let line = first.line > 0 ? " in line \(first.line)" : ""
            throw field.error(
                "duplicate id '\(route.id)', first used at routes[\(first.index)]\(line); give each route its own."
            )
        }
        table.routes.append(route)
    }
}
