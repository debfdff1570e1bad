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
        var decoder = try RouteTableDecoder(object)
        guard let routes = object["routes"] else { return decoder.table }
        guard let nodes = routes.node.elements else {
            throw routes.error("\(routes.shownKind); write a list.")
        }
        guard nodes.count <= maximumRoutes else {
            throw field.error("a table can have at most \(maximumRoutes) routes.")
        }
        // Creates one field at a time: a list of a million fields would take more memory than the table.
        let path = routes.path
        for (index, node) in nodes.enumerated() {
            let field = DocumentField(node, at: index, of: path)
            do throws(DocumentError) {
                try decoder.append(field)
            } catch {
                errors.append(error)
                guard errors.count < maximumErrors else {
                    errors.append(
                        field.error("only the first \(maximumErrors) errors are listed; more routes may have errors.")
                    )
                    break
                }
            }
        }
        return decoder.table
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
            let quotes = field.node.text.flatMap(Int64.init) == nil ? "" : " Remove the quotes."
            throw field.error(
                "unknown format \(field.shown); this engine reads formatVersion: \(formatVersion).\(quotes)"
            )
        }
    }
}

extension RouteTable.Defaults {
    package static let keys = ["fallback", "preview", "caseSensitive", "trailingSlash", "plusIsSpace"]
    package static let fallbackKeys = ["open", "web", "store", "forward", "data", "campaign", "association"]
}
