/// Reads the routes of an ``EncodedTable``: the start of each, and the parts that the index needs.
struct RouteScanner {
    /// The path of the list of routes, for errors.
    private let path: String
    private let defaults: Route.Defaults
    private var heads: [Head] = []
    /// The positions of the routes by id.
    private var ids = LiteralTable()

    private struct Head {
        let start: Int
        /// Refers to the text that is being read.
        let path: JSONReader.QuotedText
        @Boxed var host: HostPattern?
        let letterCase: LetterCase
        let isDecidedByPath: Bool
        /// Whether it may have a condition on the caller's languages.
        let hasLanguages: Bool
    }

    init(path: String, defaults: Route.Defaults) {
        self.path = path
        self.defaults = defaults
    }

    /// The offsets of the routes in the text.
    var starts: [Int] { heads.map(\.start) }

    // MARK: Reading

    /// Reads the next route, and skips what the index does not need.
    mutating func scan(_ reader: inout JSONReader) throws {
        let fields = Fields(list: path, position: heads.count)
        guard heads.count < RouteTable.maximumRoutes else {
            throw fields.route().error("a table can have at most \(RouteTable.maximumRoutes) routes.")
        }
        guard reader.isObject else {
            let route = fields.route(try reader.node())
            throw route.error("\(route.shownKind); write an object.")
        }
        let start = reader.index
        var (id, path): (JSONReader.QuotedText?, JSONReader.QuotedText?)
        var host: HostPattern?
        var letterCase = defaults.letterCase
        var isDecidedByPath = defaults.trailingSlash == .ignored
        var hasLanguages = false
        var object = try reader.beginObject()
        while let key = try reader.nextKey(of: &object) {
            switch key {
            case "id": id = try fields.text("id", &reader)
            case "path": path = try fields.text("path", &reader)
            case "host": host = try fields.value("host", &reader).map(hostPattern)
            case "caseSensitive":
                if let field = try fields.value("caseSensitive", &reader) { letterCase = try LetterCase(field) }
            case "when":
                isDecidedByPath = false
                hasLanguages = try Self.hasMember("locale", &reader)
            case "query", "fragment", "trailingSlash", "requires":
                isDecidedByPath = false
                try reader.skip()
            default: try reader.skip()
            }
        }
        guard let id else { throw fields.route().error("'id' is missing; add it.") }
        guard let path else { throw fields.route().error("'path' is missing; add it.") }
        try add(id, fields)
        if case .label(_?, _) = host { isDecidedByPath = false }
        heads.append(
            Head(
                start: start,
                path: path,
                host: host,
                letterCase: letterCase,
                isDecidedByPath: isDecidedByPath,
                hasLanguages: hasLanguages
            )
        )
    }

    /// Skips a value, and returns whether it is an object with this member.
    private static func hasMember(_ name: StaticString, _ reader: inout JSONReader) throws -> Bool {
        guard reader.isObject else {
            try reader.skip()
            return false
        }
        var (object, isFound) = (try reader.beginObject(), false)
        while let key = try reader.nextKey(of: &object) {
            if name ~= key { isFound = true }
            try reader.skip()
        }
        return isFound
    }

    private mutating func add(_ id: JSONReader.QuotedText, _ fields: Fields) throws(DocumentError) {
        guard id.withUTF8({ isIdentifier(utf8: $0) }) else {
            _ = try fields.member("id", .string(id.text)).identifier(RouteID.self)
            return
        }
        let position = Int32(heads.count)
        let first = id.withUTF8 { ids.child(of: 0, $0.span, .sensitive, orInsert: position) }
        guard first == position else {
            throw fields.route().error(
                "duplicate id '\(id.text)', first used at routes[\(first)]; give each route its own."
            )
        }
    }

    /// A route and its members as fields, most of which are created for errors only.
    private struct Fields {
        let list: String
        let position: Int

        func route(_ node: JSONNode = .null) -> DocumentField {
            DocumentField(node, path: "\(list)[\(position)]")
        }

        func member(_ key: String, _ node: JSONNode) -> DocumentField {
            DocumentField(node, path: "\(list)[\(position)].\(key)")
        }

        /// Reads a text; nil for null.
        func text(_ key: String, _ reader: inout JSONReader) throws -> JSONReader.QuotedText? {
            if let text = try reader.stringInPlace() { return text }
            _ = try value(key, &reader)?.text()
            return nil
        }

        /// Reads a value; nil for null.
        func value(_ key: String, _ reader: inout JSONReader) throws -> DocumentField? {
            let node = try reader.node()
            return node.value == .null ? nil : member(key, node)
        }
    }

    // MARK: Indexing

    /// Builds the index. The text must still be there.
    func index(of routes: EncodedRoutes) throws(DocumentError) -> RouteIndex {
        let (heads, list) = (heads, path)
        return try RouteIndex(count: heads.count) { position throws(DocumentError) in
            var parser = PatternParser(utf8: heads[position].path.withUTF8(Array.init))
            do throws(RoutePattern.SyntaxError) {
                return RouteIndex.Entry(
                    host: heads[position].host,
                    segments: try parser.path().segments,
                    letterCase: heads[position].letterCase,
                    isDecidedByPath: heads[position].isDecidedByPath,
                    languages: heads[position].hasLanguages
                        ? LanguageVariant(routes.decoded(at: position).route) : nil
                )
            } catch {
                throw DocumentError(path: "\(list)[\(position)].path", position: .unknown, message: error.description)
            }
        }
    }
}
