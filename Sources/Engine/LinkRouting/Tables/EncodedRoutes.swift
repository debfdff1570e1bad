/// The routes of a table as JSON. Each can be decoded alone.
package struct EncodedRoutes: Sendable {
    private let text: ArraySlice<UInt8>
    private let defaults: Route.Defaults
    private let path: String
    /// Offsets of the routes in ``text``, by position.
    private let starts: [Int]

    /// A decoded route. If it cannot be read, `problem` is the reason, and `route` has only what the index needs.
    package struct Decoded: Sendable {
        package let route: Route
        package let problem: DocumentError?
    }

    init(_ text: ArraySlice<UInt8>, _ starts: [Int], defaults: Route.Defaults = Route.Defaults(), path: String) {
        self.text = text
        self.starts = starts
        self.defaults = defaults
        self.path = path
    }

    package var count: Int { starts.count }

    /// Decodes all routes, and throws for the first that cannot be read.
    package func check() throws(DocumentError) {
        for position in starts.indices {
            if let problem = decoded(at: position).problem { throw problem }
        }
    }

    /// Decodes the route at a position of the table.
    package func decoded(at position: Int) -> Decoded {
        let field = DocumentField(node(at: position), at: position, of: path)
        do throws(DocumentError) {
            return Decoded(route: try Route(field, defaults: defaults), problem: nil)
        } catch {
            // Its position counts from the beginning of the route.
            let problem = DocumentError(path: error.path, position: .unknown, message: error.message)
            return Decoded(route: unreadable(field), problem: problem)
        }
    }

    private func node(at position: Int) -> JSONNode {
        let limits = JSONReader.Limits(maximumBytes: .max, maximumDepth: 128)
        let node = text.withUnsafeBufferPointer { bytes in
            Result { () throws(JSONSyntaxError) in
                try JSONReader.value(at: starts[position], of: bytes, limits: limits)
            }
        }
        do {
            return try node.get()
        } catch {
            preconditionFailure("The table was read to its end, so its syntax is valid: \(error.message)")
        }
    }

    private func unreadable(_ field: DocumentField) -> Route {
        do throws(DocumentError) {
            return try Route(unreadable: field, defaults: defaults)
        } catch {
            preconditionFailure("RouteScanner has already read these keys: \(error)")
        }
    }
}
