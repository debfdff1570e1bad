import Networking
import Testing

struct TraceContextTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func parentIsReadAndWrittenAsItCame() throws {
        let trace = try #require(TraceContext(parent: Self.parent, state: "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"))
        #expect(trace.traceID.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(trace.spanID == 0x00f0_67aa_0ba9_02b7)
        #expect(trace.flags == 1)
        #expect(trace.parent == Self.parent)
        #expect(trace.headers.map(\.0) == ["traceparent", "tracestate"])
    }

    @Test func childStaysInTheTraceAndKeepsItsFlagsAndState() throws {
        let child = try #require(TraceContext(parent: Self.parent, state: "a=1")).child(7)
        #expect(child.parent == "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000007-01")
        #expect(child.state == "a=1")
    }

    @Test(arguments: [
        // A later version is parsed like version 00. Unknown flags are not passed on.
        ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01"),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-brings", "01"),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "00"),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02", "02"),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff", "03"),
    ])
    func acceptable(_ text: String, _ flags: String) throws {
        let trace = try #require(TraceContext(parent: text, state: nil))
        #expect(trace.parent == "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + flags)
    }

    @Test(arguments: [
        "", "00", "00-", "x", parent + "-", parent + "-01", parent + "0", parent + " ", " " + parent,
        String(parent.dropLast()),
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-010",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        "00-4bf92f3577b34da6a3ce929d0e0e473\u{e9}-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        String(repeating: "0", count: 100_000),
    ])
    func unacceptable(_ text: String) {
        #expect(TraceContext(parent: text, state: nil) == nil)
    }

    @Test(arguments: [
        "", "a=1\r\nX-Evil: 1", "a=\u{7F}", "a=é", String(repeating: "a", count: 513),
        Array(repeating: "a=1", count: 33).joined(separator: ","),
    ])
    func invalidStateIsDroppedWithoutTheParent(_ state: String) throws {
        let trace = try #require(TraceContext(parent: Self.parent, state: state))
        #expect(trace.state == nil)
    }

    @Test func invalidParentStartsANewTrace() {
        let source = TraceSource(seed: 1)
        let first = source.work(for: "nonsense", state: "a=1")
        let second = source.work(for: nil, state: nil)
        #expect(first.state == nil)
        #expect(first.traceID != second.traceID)
        #expect(source.work(for: Self.parent, state: nil).traceID.description == "4bf92f3577b34da6a3ce929d0e0e4736")
    }

    /// With any byte changed, parsing ends, and a result is written in a form that parses to the same value.
    @Test func everyChangedByteIsReadTheSameAgainOrNotAtAll() {
        let good = Array(Self.parent.utf8)
        for index in good.indices {
            for byte in UInt8.min ... .max {
                var bytes = good
                bytes[index] = byte
                guard let trace = TraceContext(parent: String(decoding: bytes, as: UTF8.self), state: nil) else {
                    continue
                }
                #expect(TraceContext(parent: trace.parent, state: nil) == trace)
            }
        }
    }

    @Test func idsAreUnique() {
        let source = TraceSource(seed: 0)
        let roots = (0..<10_000).map { _ in source.root() }
        #expect(Set(roots.map(\.traceID)).count == roots.count)
        #expect(Set(roots.map(\.spanID)).count == roots.count)
        #expect(roots.allSatisfy { TraceContext(parent: $0.parent, state: nil) == $0 })
    }
}
