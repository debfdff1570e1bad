@testable import LinkRouting

/// Any JSON is a route table or a list of errors. A table is checked and resolves links without a trap, and the dry run
/// agrees with the live path.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTable(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let node = try? JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 8_192)),
        let table = try? RouteTable(DocumentField(node, path: "table"))
    else { return 0 }
    let identity = Identity(schemes: [Scheme(name: "x")])
    _ = table.check(for: identity)
    let router = Router(identity: identity, table: table, environment: .production)
    for text in ["x:/", "x:/a/1/b", "https://go.acme.test/item/7?a=1&a=2#f", "https://go.acme.test//%2F"] {
        guard let link = try? DeepLink.parse(text) else { continue }
        let plain = router.resolve(link, in: LinkContext(), explanation: .omitted)
        let explained = router.resolve(link, in: LinkContext(), explanation: .included)
        precondition(plain.outcome == explained.outcome && plain.route == explained.route, "explaining changes nothing")
    }
    return 0
}
