import StubMatching

/// An answer as it is sent.
struct StubAnswer: Sendable {
    var status: Int
    /// Nil takes the usual reason of the status.
    var reason: String?
    var headers: [HeaderField] = []
    var body: [UInt8] = []
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

/// How a request gets its answer.
enum Handling: Sendable {
    case answer(StubAnswer)
    /// Work that reads files or may take long: not on an event loop.
    case blocking(@Sendable () -> StubAnswer)
    /// Work that waits for a target.
    case asynchronous(@Sendable () async -> StubAnswer)
}

/// A request as it arrived, complete with its body.
struct ReceivedRequest: Sendable {
    let method: String
    let target: String
    let version: String
    let headers: [HeaderField]
    let body: [UInt8]
    let clientAddress: String
    let localPort: Int
    let scheme: String
}
