@testable import LinkRouting
@testable import StubMatching

/// A mapping, a tab, a request target, a tab and a body. A mapping is refused with a pointer, or it is compared with
/// requests without a trap. What is written back reads as the same mapping, and a stub that does not match has a first
/// difference.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMapping(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x09, maxSplits: 2, omittingEmptySubsequences: false)
    let target = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "/a?x=1"
    let body = parts.count > 2 ? Array(parts[2]) : []
    let mappings: [StubMapping]
    do throws(MappingError) {
        mappings = try MappingFile(parts[0]).fields.map { field throws(MappingError) in try stub(from: field) }
    } catch {
        precondition(!error.title.isEmpty)
        _ = error.description
        return 0
    }
    var store = StubStore()
    for mapping in mappings { store.add(mapping) }
    let requests = [request("GET", target, [], []), request("POST", target, headers, body)]
    for mapping in mappings {
        let again = try? stub(from: MappingField(mapping.json))
        precondition(again?.json == mapping.json, "what is written back reads as the same mapping")
        for request in requests { compare(mapping, with: request) }
    }
    for request in requests { search(store, for: request) }
    return 0
}

private let headers = [
    HeaderField("Content-Type", "application/x-www-form-urlencoded"), HeaderField("Cookie", "a=1; b=\"2\""),
    HeaderField("Authorization", "Basic dTpw"), HeaderField("Accept", "a"), HeaderField("Accept", "b"),
]

private func stub(from field: MappingField) throws(MappingError) -> StubMapping {
    try StubMapping(field, templating: .everywhere) { "0f1e2d3c-0000-4000-8000-000000000001" }
}

private func compare(_ stub: StubMapping, with request: StubRequest) {
    guard let isMatch = try? stub.request.matches(request), let distance = try? stub.request.distance(request) else {
        return
    }
    precondition((0...1).contains(distance), "a distance lies between 0 and 1")
    let state = stub.requiredState ?? Scenarios.started
    let miss = NearMiss(request: request, stub: stub, distance: distance, scenarioState: state)
    _ = try? miss.text()
    do {
        let difference = try miss.firstDifference()
        precondition(isMatch || difference != nil, "a stub that does not match has a first difference")
    } catch {
        // A pattern that takes too many steps.
    }
}

/// The index finds what a comparison with all stubs in their order finds.
private func search(_ store: StubStore, for request: StubRequest) {
    let found = store.first(path: request.path) { (try? $0.request.matches(request)) == true }
    let expected = store.entries.first { (try? $0.stub.request.matches(request)) == true }
    precondition(found?.id == expected?.stub.id, "the index leaves out no stub")
}

private func request(_ method: String, _ target: String, _ headers: [HeaderField], _ body: [UInt8]) -> StubRequest {
    StubRequest(
        id: "1",
        method: method,
        target: target,
        host: "127.0.0.1",
        port: 80,
        headers: headers,
        body: body,
        clientAddress: "127.0.0.1",
        receivedAt: Timestamp(milliseconds: 1_577_934_245_000)
    )
}
