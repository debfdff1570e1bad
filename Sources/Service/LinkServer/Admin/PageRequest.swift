import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkRouting

/// The page of a list: `?limit=` items (1 to 1,000, by default 100) after `?cursor=`, the `nextCursor` of the previous
/// page.
struct PageRequest {
    let limit: Int
    let cursor: String?

    init(_ request: Request) throws {
        cursor = request.parameter("cursor")
        limit = try request.limit(1...1_000, default: 100)
    }

    /// Returns the cursor as a number, for lists in descending order; nil without a cursor.
    func number() throws -> Int64? {
        guard let cursor else { return nil }
        guard let number = Int64(cursor) else {
            throw Problem(.invalidRequest, "'cursor' must be the 'nextCursor' of the previous page.")
        }
        return number
    }

    /// Returns `{NAME: […], "nextCursor": …}`. `items` has one item more than `limit` if there is a next page; the
    /// cursor names the last item of this page, or `end` if there is none yet.
    func answer<Item>(
        _ name: String,
        _ items: [Item],
        _ json: (Item) -> JSONNode,
        end: String? = nil,
        cursor: (Item) -> String
    ) -> JSONNode {
        let page = items.prefix(limit)
        let next = items.count > limit ? page.last.map(cursor) : end
        return JSONNode(
            .object([
                JSONNode.Member(name, .array(page.map(json))),
                JSONNode.Member("nextCursor", next.map(JSONNode.string) ?? .null),
            ])
        )
    }

    /// Returns the page of a complete list.
    func answer<Item>(of items: [Item], _ name: String, _ json: (Item) -> JSONNode, key: (Item) -> String) throws
        -> JSONNode
    {
        answer(name, Array(try part(of: items, key: key)), json, cursor: key)
    }

    /// Returns the items after the one that the cursor names: one more than `limit` if there are so many.
    func part<Item>(of items: [Item], key: (Item) -> String) throws -> ArraySlice<Item> {
        guard let cursor else { return items.prefix(limit + 1) }
        guard let index = items.firstIndex(where: { key($0) == cursor }) else {
            throw Problem(.invalidRequest, "'cursor' names an item that is no longer in the list; start without it.")
        }
        return items[(index + 1)...].prefix(limit + 1)
    }
}

extension Response {
    init(_ node: JSONNode, status: HTTPResponse.Status = .ok, eTag: (some CustomStringConvertible)? = String?.none) {
        var headers = HTTPFields()
        if let eTag { headers[.eTag] = "\"\(eTag)\"" }
        var writer = JSONWriter()
        writer.node(node)
        self.init(status: status, json: writer.finish(), headers: headers)
    }
}
