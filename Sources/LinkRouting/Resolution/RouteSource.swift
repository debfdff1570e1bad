/// Gives a router the routes of an ``EncodedTable``. It keeps those that it has decoded, which takes a lock.
///
/// A class, because copying an optional value of any type costs a tenth of a lookup, for the server's routers as well.
package protocol RouteSource: AnyObject, Sendable {
    /// Returns a list of one route, the one at a position of the table: the same at each call. A list, because it is
    /// passed by reference: copying a route costs as much as a lookup.
    func route(at position: Int) -> [Route]
}
