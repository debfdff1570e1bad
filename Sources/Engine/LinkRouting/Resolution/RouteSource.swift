/// Supplies a router with the routes of an ``EncodedTable``, and caches the decoded ones.
///
/// A class, because copying an optional value of any type costs a tenth of a lookup, for the server's routers as well.
package protocol RouteSource: AnyObject, Sendable {
    /// Returns a list of one route, the one at a position of the table: the same at each call. A list, because it is
    /// passed by reference: copying a route costs as much as a lookup.
    func route(at position: Int) -> [Route]
}
