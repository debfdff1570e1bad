import LinkRouting

/// A stub that nearly matches a request.
package struct NearMiss: Sendable {
    package let request: StubRequest
    package let stub: StubMapping
    package let distance: Double
    package let scenarioState: String?

    /// The number of near misses that WireMock reports.
    package static let count = 3

    /// The maximum number of stubs that are compared in every respect: those with the closest methods and URLs. The
    /// distance of two long bodies takes milliseconds, and a server may have 10,000 stubs.
    package static let maximumCandidates = 500

    /// The stubs that come closest to a request, best first. Equally close stubs stay in their order.
    ///
    /// - Throws: When a pattern takes too many steps.
    package static func nearest(
        to request: StubRequest,
        among stubs: some Sequence<StubMapping>,
        state: (_ scenario: String) -> String?
    ) throws -> [NearMiss] {
        let misses = try candidates(for: request, among: Array(stubs)).map { stub in
            NearMiss(
                request: request,
                stub: stub,
                distance: try stub.request.distance(request),
                scenarioState: stub.scenario.flatMap(state)
            )
        }
        return Array(
            misses.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
                .prefix(count).map(\.element)
        )
    }

    /// The stubs themselves, or those with the closest methods and URLs, in their order.
    private static func candidates(for request: StubRequest, among stubs: [StubMapping]) throws -> [StubMapping] {
        guard stubs.count > maximumCandidates else { return stubs }
        let ranked = try stubs.enumerated().map { index, stub in
            (index: index, distance: try stub.request.distanceOfTarget(request))
        }
        return ranked.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }.prefix(maximumCandidates)
            .map(\.index).sorted().map { stubs[$0] }
    }

    /// The stub's name, and a line for each part in which the request differs from it.
    package func text() throws -> String {
        let lines = try stub.differences(from: request, scenarioState: scenarioState).map(\.description)
        return (["No stub matches this request. The closest stub is '\(stub.name ?? stub.id)':"] + lines)
            .map { $0 + "\n" }.joined()
    }

    /// The first part in which stub and request differ, as one line of text.
    package func firstDifference() throws -> String? {
        try stub.differences(from: request, scenarioState: scenarioState).first?.description
    }
}
