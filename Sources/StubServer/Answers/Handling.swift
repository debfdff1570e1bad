/// How a request gets its answer.
enum Handling: Sendable {
    case answer(StubAnswer)
    /// Work that reads files or may take long: not on an event loop.
    case blocking(@Sendable () -> StubAnswer)
    /// Work that waits for a target.
    case asynchronous(@Sendable () async -> StubAnswer)
}
