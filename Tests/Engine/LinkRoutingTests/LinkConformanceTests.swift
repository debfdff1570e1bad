import LinkRouting
import Testing

/// The conformance tables of docs/routing-conformance.md, row by row.
struct LinkConformanceTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let link: String
        let scheme, host, port, path, query, fragment, refused: String
        var testDescription: String { link }

        init(_ cells: [String]) throws {
            try #require(cells.count == 9, "a row has nine cells: \(cells)")
            link = cells[0]
            scheme = String(decoding: RoutingDocument.expanded(cells[1]), as: UTF8.self)
            (host, port, path) = (cells[2], cells[3], cells[4])
            (query, fragment, refused) = (cells[5], cells[6], cells[7])
        }

        func expected() throws -> Outcome {
            func text(_ cell: String) -> String? { cell.isEmpty ? nil : cell }
            func expanded(_ cell: String) -> String? {
                text(cell).map { String(decoding: RoutingDocument.expanded($0), as: UTF8.self) }
            }
            guard refused.isEmpty else {
                return .rejected(code: refused, scheme: text(scheme), host: expanded(host), port: text(port))
            }
            let hasTrailingSlash = path.hasSuffix("/")
            return .parts(
                Outcome.Parts(
                    scheme: scheme,
                    host: expanded(host),
                    port: text(port),
                    path: Array(
                        try RoutingDocument.json(hasTrailingSlash ? String(path.dropLast()) : path).json().utf8
                    ),
                    hasTrailingSlash: hasTrailingSlash,
                    query: try text(query).map { Array(try RoutingDocument.json($0).json().utf8) },
                    fragment: try text(fragment).map { Array(try RoutingDocument.json($0).json().utf8) }
                )
            )
        }
    }

    enum Outcome: Equatable {
        case rejected(code: String, scheme: String?, host: String?, port: String?)
        case parts(Parts)

        struct Parts: Equatable {
            var scheme: String
            var host: String?
            var port: String?
            /// Bytes, because Swift strings compare NFC and NFD as equal.
            var path: [UInt8]
            var hasTrailingSlash: Bool
            var query: [UInt8]?
            var fragment: [UInt8]?
        }

        init(_ bytes: [UInt8]) {
            do throws(DeepLink.Rejection) {
                self = .parts(Parts(try DeepLink.parse(bytes)))
            } catch {
                self = .rejected(
                    code: error.code.rawValue,
                    scheme: error.scheme,
                    host: error.host,
                    port: error.port.map { "\($0)" }
                )
            }
        }
    }

    static func rows() throws -> [Row] { try RoutingDocument.rows(under: "Conformance").map(Row.init) }

    @Test(arguments: try rows()) func linkResolvesToTheDestinationOfTheTable(_ row: Row) throws {
        #expect(Outcome(RoutingDocument.expanded(row.link)) == (try row.expected()))
    }

    @Test func tableHoldsEveryRejectionCode() throws {
        let codes = Set(try Self.rows().map(\.refused)).subtracting([""])
        #expect(codes == Set(DeepLink.Rejection.Code.allCases.map(\.rawValue)))
    }

    @Test func documentExplainsEveryRejectionCode() throws {
        let codes = Set(try RoutingDocument.rows(under: "Links").map { $0[0] })
        #expect(codes == Set(DeepLink.Rejection.Code.allCases.map(\.rawValue)))
    }

    @Test func textAndBytesAreReadAlike() throws {
        for row in try Self.rows() {
            let bytes = RoutingDocument.expanded(row.link)
            guard let text = String(validating: bytes, as: UTF8.self) else { continue }
            #expect((try? DeepLink.parse(text)) == (try? DeepLink.parse(bytes)))
        }
    }
}

extension LinkConformanceTests.Outcome.Parts {
    init(_ link: DeepLink) {
        func bytes(_ node: JSONNode) -> [UInt8] { Array(node.json().utf8) }
        func node(_ text: String?) -> JSONNode { text.map(JSONNode.string) ?? .bool(false) }
        let items = link.query.map { item in
            let value = item.rawValue == nil ? JSONNode.null : node(link.value(of: item, plus: .plus))
            return JSONNode.array([node(link.name(of: item, plus: .plus)), value])
        }
        self.init(
            scheme: link.scheme,
            host: link.host,
            port: link.port.map { "\($0)" },
            path: bytes(.array((0..<link.segmentCount).map { .string(link.segmentText($0)) })),
            hasTrailingSlash: link.hasTrailingSlash,
            query: link.rawQuery == nil ? nil : bytes(.array(items)),
            fragment: link.rawFragment == nil ? nil : bytes(node(link.fragment))
        )
    }
}
