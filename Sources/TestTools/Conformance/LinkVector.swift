import LinkRouting

/// A link and the result of parsing it.
package struct LinkVector: Sendable {
    private let link: [UInt8]
    /// `{parts: {…}}` or `{rejected: {…}}`, from the table.
    private let expected: JSONNode

    /// Reads a row: link, scheme, host, port, path, query, fragment, reason of the rejection, remark.
    init(cells: [String]) throws(DocumentError) {
        guard cells.count == 9 else { throw ConformancePage.error("a row of links has nine cells: \(cells)") }
        func text(_ cell: String) -> JSONNode? {
            cell.isEmpty ? nil : .string(String(decoding: ConformancePage.expanded(cell), as: UTF8.self))
        }
        func json(_ cell: String) throws(DocumentError) -> JSONNode? {
            cell.isEmpty ? nil : try ConformancePage.json(cell)
        }
        link = ConformancePage.expanded(cells[0])
        let port = cells[3].isEmpty ? nil : JSONNode(.number(cells[3]))
        guard cells[7].isEmpty else {
            expected = .object([
                "rejected": .object([
                    "code": .string(cells[7]), "scheme": text(cells[1]), "host": text(cells[2]), "port": port,
                ])
            ])
            return
        }
        let hasTrailingSlash = cells[4].hasSuffix("/")
        expected = .object([
            "parts": .object([
                "scheme": text(cells[1]), "host": text(cells[2]), "port": port,
                "path": try json(hasTrailingSlash ? String(cells[4].dropLast()) : cells[4]),
                "hasTrailingSlash": .bool(hasTrailingSlash), "query": try json(cells[5]),
                "fragment": try json(cells[6]),
            ])
        ])
    }

    /// `link`, or `bytes` in hexadecimal digits if it is not UTF-8, and the result.
    var json: JSONNode {
        let text = String(validating: link, as: UTF8.self).map(JSONNode.string)
        let bytes = text == nil ? JSONNode.string(Self.hexadecimal(link)) : nil
        return .object([
            "link": text, "bytes": bytes, "parts": expected["parts"], "rejected": expected["rejected"],
        ])
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    var disagreement: String? {
        let found = Self.result(link)
        // Swift compares hosts by canonical equivalence, as the engine does.
        guard !Self.isSame(found, expected) else { return nil }
        return
            "The link \(String(decoding: link.prefix(200), as: UTF8.self)) gives \(found.json()), not \(expected.json())."
    }

    private static func isSame(_ found: JSONNode, _ expected: JSONNode) -> Bool {
        func host(_ node: JSONNode) -> String? { (node["parts"] ?? node["rejected"])?["host"]?.text }
        guard host(found) == host(expected) else { return false }
        return withoutHost(found) == withoutHost(expected)
    }

    private static func withoutHost(_ node: JSONNode) -> [String: JSONNode] {
        let members = (node["parts"] ?? node["rejected"])?.members ?? []
        return Dictionary(members.filter { $0.key != "host" }.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private static func result(_ bytes: [UInt8]) -> JSONNode {
        do throws(DeepLink.Rejection) {
            return .object(["parts": parts(try DeepLink.parse(bytes))])
        } catch {
            return .object([
                "rejected": .object([
                    "code": .string(error.code.rawValue), "scheme": error.scheme.map(JSONNode.string),
                    "host": error.host.map(JSONNode.string), "port": error.port.map { .int($0) },
                ])
            ])
        }
    }

    private static func parts(_ link: DeepLink) -> JSONNode {
        func node(_ text: String?) -> JSONNode { text.map(JSONNode.string) ?? .bool(false) }
        let items = link.query.map { item in
            let value = item.rawValue == nil ? JSONNode.null : node(link.value(of: item, plus: .plus))
            return JSONNode.array([node(link.name(of: item, plus: .plus)), value])
        }
        return .object([
            "scheme": .string(link.scheme), "host": link.host.map(JSONNode.string), "port": link.port.map { .int($0) },
            "path": .array((0..<link.segmentCount).map { .string(link.segmentText($0)) }),
            "hasTrailingSlash": .bool(link.hasTrailingSlash),
            "query": link.rawQuery == nil ? nil : .array(items),
            "fragment": link.rawFragment == nil ? nil : node(link.fragment),
        ])
    }
}
