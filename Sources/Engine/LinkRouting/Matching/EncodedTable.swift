/// A stored table of which only the index is built. Its routes stay JSON until they are needed.
///
/// An app follows a few links between two launches. Decoding ten thousand routes for them takes most of the time and of
/// the memory of loading a table.
package struct EncodedTable: Sendable {
    let defaults: RouteTable.Defaults
    let index: RouteIndex
    package let routes: EncodedRoutes

    /// Reads a table of which `routes` is the last member. The syntax of the whole text is checked, and of each route what
    /// the index needs: id, path, host and letter case.
    ///
    /// - Parameters:
    ///   - text: What `reader` reads.
    ///   - path: The path of the table, for errors.
    /// - Throws: A `JSONSyntaxError` or a `DocumentError`.
    package init(reading reader: inout JSONReader, of text: ArraySlice<UInt8>, path: String) throws {
        guard reader.isObject else {
            throw DocumentField(try reader.node(), path: path).notAnObject()
        }
        let position = reader.position
        var members: [JSONNode.Member] = []
        func decoder() throws -> RouteTableDecoder {
            let head = JSONNode(.object(members), at: position)
            return try RouteTableDecoder(DocumentField(head, path: path).object(RouteTable.keys))
        }
        var table: EncodedTable?
        var object = try reader.beginObject()
        while let key = try reader.nextKey(of: &object) {
            guard table == nil else {
                let member = DocumentField(try reader.node(), path: "\(path).\(key.text)")
                throw member.error("it comes after 'routes', which must be the last member.")
            }
            guard case "routes" = key else {
                members.append(JSONNode.Member(key.text, try reader.node()))
                continue
            }
            table = try EncodedTable(routes: &reader, of: text, try decoder(), path: "\(path).routes")
        }
        self = try table ?? EncodedTable(try decoder(), RouteIndex([]), EncodedRoutes(text, [], path: path))
    }

    private init(_ head: RouteTableDecoder, _ index: RouteIndex, _ routes: EncodedRoutes) {
        defaults = head.table.defaults
        self.index = index
        self.routes = routes
    }

    private init(
        routes reader: inout JSONReader,
        of text: ArraySlice<UInt8>,
        _ head: RouteTableDecoder,
        path: String
    ) throws {
        guard reader.isList else {
            let field = DocumentField(try reader.node(), path: path)
            throw field.error("\(field.shownKind); write a list.")
        }
        var scanner = RouteScanner(path: path, defaults: head.routeDefaults)
        var list = try reader.beginList()
        while try reader.hasElement(in: &list) { try scanner.scan(&reader) }
        let routes = EncodedRoutes(text, scanner.starts, defaults: head.routeDefaults, path: path)
        self.init(head, try scanner.index(of: routes), routes)
    }
}
