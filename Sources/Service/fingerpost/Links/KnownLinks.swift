package import LinkRouting

/// The links of a tenant and of the rows of a file, for a check before an import. It keeps hashes, since there may be
/// millions.
package struct KnownLinks: Sendable {
    enum Place: Sendable {
        case server, file
        /// A link with another target has the code.
        case taken
    }

    private var links: [Int: (target: Int, place: Place)] = [:]

    package init() {}

    /// Adds a link of the server.
    package mutating func insert(_ link: JSONNode) { insert(link, .server) }

    /// Returns where the link is already; nil if it is new, and from now on in the file.
    mutating func add(_ link: JSONNode) -> Place? {
        let key = link["code"]?.text.map(\.hashValue) ?? Self.content(of: link)
        guard let known = links[key] else {
            insert(link, .file)
            return nil
        }
        return known.target == Self.target(of: link) ? known.place : .taken
    }

    /// A link is found by its code, and by the content for which a link without a code is reused.
    private mutating func insert(_ link: JSONNode, _ place: Place) {
        let entry = (target: Self.target(of: link), place: place)
        if let code = link["code"]?.text { links[code.hashValue] = entry }
        if link["fromApp"] != .bool(true), links[Self.content(of: link)] == nil {
            links[Self.content(of: link)] = entry
        }
    }

    private static func target(of link: JSONNode) -> Int { (link["target"]?.text ?? "").hashValue }

    private static func content(of link: JSONNode) -> Int {
        let status = link["archived"] == .bool(true) ? "archived" : link["status"]?.text ?? "active"
        return [link["target"]?.text, link["utm"]?.json(), status].hashValue
    }
}
