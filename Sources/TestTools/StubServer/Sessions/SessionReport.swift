import LinkRouting
import StubMatching

/// The report of a session: the requests that no stub answered, and the stubs that answered no request.
struct SessionReport: Sendable {
    private let name: String
    private let isStrict: Bool
    private let failures: [StubSession.Failure]
    private let unmatchedCount: Int
    private let used: [(stub: String, count: Int)]
    private let unused: [String]
    private let links: LinkUses

    init(_ session: StubSession) {
        let state = session.withState { state in
            (state.rules, state.failures, state.unmatchedCount, state.uses, state.links)
        }
        name = session.name ?? session.id ?? "stub"
        isStrict = state.0.unmatched == .strict
        failures = state.1
        unmatchedCount = state.2
        let stubs = state.0.stubs.entries.map(\.stub)
        used = stubs.compactMap { stub in state.3[stub.id].map { (Self.label(stub), $0) } }
        links = state.4
        unused = stubs.filter { state.3[$0.id] == nil }.map(Self.label)
    }

    private static func label(_ stub: StubMapping) -> String {
        stub.name ?? "\(stub.request.method) \(stub.request.url.source?.text ?? "any URL") (\(stub.id))"
    }

    var json: JSONNode {
        .object([
            "session": .string(name),
            "strict": .bool(isStrict),
            "unmatchedCount": .int(unmatchedCount),
            "unmatched": .array(
                failures.map { failure in
                    .object([
                        "method": .string(failure.method),
                        "url": .string(failure.target),
                        "at": .string(failure.receivedAt.description),
                        "nearestStub": failure.nearestStub.map(JSONNode.string),
                        "firstDifference": failure.firstDifference.map(JSONNode.string),
                    ])
                }
            ),
            "used": .array(used.map { .object(["stub": .string($0.stub), "count": .int($0.count)]) }),
            "unused": .array(unused.map(JSONNode.string)),
            "links": links.json,
            "unmatchedLinkCount": .int(links.failureCount),
        ])
    }

    /// A JUnit report: one suite a session. Each request that no stub answered fails; each unused stub is skipped.
    static func junit(_ reports: [SessionReport]) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + reports.map(\.suite).joined() + "</testsuites>\n"
    }

    private var suite: String {
        let failedLinks = links.uses.compactMap(\.failure)
        let count = failures.count + used.count + unused.count + links.uses.count
        let failureCount = failures.count + failedLinks.count
        let head =
            "  <testsuite name=\"\(name.escapedForXML)\" tests=\"\(count)\" failures=\"\(failureCount)\" "
            + "errors=\"0\" skipped=\"\(unused.count)\">\n"
        let failed = failures.map { failure in
            let nearest = failure.nearestStub.map { "nearest stub: \($0)" } ?? "there are no stubs"
            let text = [nearest, failure.firstDifference].compactMap(\.self).joined(separator: "; ")
            return """
                    <testcase classname="requests" name="\("\(failure.method) \(failure.target)".escapedForXML)">
                      <failure message="\("no stub matched; \(text)".escapedForXML)"/>
                    </testcase>

                """
        }
        let passed = used.map { "    <testcase classname=\"stubs\" name=\"\($0.stub.escapedForXML)\"/>\n" }
        let skipped = unused.map {
            """
                <testcase classname="stubs" name="\($0.escapedForXML)"><skipped message="no request used this stub"/></testcase>

            """
        }
        return head + failed.joined() + links.uses.map(Self.testCase).joined() + passed.joined() + skipped.joined()
            + "  </testsuite>\n"
    }

    private static func testCase(_ use: LinkUses.Use) -> String {
        let head = "    <testcase classname=\"links\" name=\"\("\(use.link): \(use.summary)".escapedForXML)\""
        return use.failure.map { "\(head)><failure message=\"\($0.escapedForXML)\"/></testcase>\n" } ?? "\(head)/>\n"
    }
}
