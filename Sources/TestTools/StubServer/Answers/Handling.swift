/// The way in which a request gets its answer.
enum Handling: Sendable {
    case answer(StubAnswer)
    /// Work that reads files or may take long. It must not run on an event loop.
    case blocking(@Sendable () -> StubAnswer)
    /// Work that waits for a target.
    case asynchronous(@Sendable () async -> StubAnswer)
}

extension Handling {
    /// The same work with a changed answer.
    func map(_ change: @escaping @Sendable (StubAnswer) -> StubAnswer) -> Handling {
        switch self {
        case .answer(let answer): .answer(change(answer))
        case .blocking(let work): .blocking { change(work()) }
        case .asynchronous(let work): .asynchronous { change(await work()) }
        }
    }

    /// Does the work and returns the answer.
    func answer() async -> StubAnswer {
        switch self {
        case .answer(let answer): answer
        case .blocking(let work): await offEventLoop(work)
        case .asynchronous(let work): await work()
        }
    }
}
