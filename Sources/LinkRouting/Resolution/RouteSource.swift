/// Gives a router the routes of an ``EncodedTable``. It keeps those that it has decoded, which takes a lock.
package protocol RouteSource: Sendable {
    /// Returns a list of one route, the one at a place of the table: the same at each call. A list, because it is passed
    /// by reference: copying a route costs as much as a look-up.
    func route(at place: Int) -> [Route]
}
