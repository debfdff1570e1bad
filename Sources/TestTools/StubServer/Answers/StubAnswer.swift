import LinkRouting
import StubMatching

/// An answer in the form that is sent.
struct StubAnswer: Sendable {
    var status: Int
    /// Nil for the default reason phrase of the status.
    var reason: String?
    var headers: [HeaderField] = []
    var body: [UInt8] = []
    /// Whether the answer is sent uncompressed, also to clients that accept gzip.
    var isExact = false
    var delayMilliseconds = 0
    var dribble: ResponseDefinition.Dribble?
    var fault: ResponseDefinition.Fault?
    /// Called when the answer has been written.
    var afterwards: (@Sendable () -> Void)?

    static func text(_ status: Int, _ text: String) -> StubAnswer {
        StubAnswer(status: status, headers: [HeaderField("Content-Type", "text/plain")], body: Array(text.utf8))
    }

    func header(_ name: String) -> String? { headers.first { $0.has(name: name) }?.value }
}

extension StubAnswer {
    static func json(_ node: JSONNode, status: Int = 200) -> StubAnswer {
        StubAnswer(
            status: status,
            headers: [HeaderField("Content-Type", "application/json")],
            body: Array(node.json(.pretty).utf8)
        )
    }

    static let emptyObject = StubAnswer.json(.object([JSONNode.Member]()))
    static func empty(_ status: Int) -> StubAnswer { StubAnswer(status: status) }
}
