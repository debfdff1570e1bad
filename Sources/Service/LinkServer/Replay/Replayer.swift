import HTTPTransport
package import LinkCatalog
package import LinkEvents
package import LinkRouting

/// Replays recorded links against a draft. One replay runs at a time, on a separate thread: it computes for seconds,
/// and the threads that answer requests are few.
package actor Replayer {
    private let executor = BlockingExecutor(label: "fingerpost.replay")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let history: any EventHistory
    private let publishing: PublishingService
    private let now: @Sendable () -> Timestamp
    private var isBusy = false

    /// The time after which a replay reports what it has read, in milliseconds.
    private static let longestTime: Int64 = 120_000
    /// Maximum number of events in memory at once.
    private static let pageSize = 1_000

    package init(history: any EventHistory, publishing: PublishingService, now: @escaping @Sendable () -> Timestamp) {
        self.history = history
        self.publishing = publishing
        self.now = now
    }

    /// Answers the newest recorded links from the live table and from the draft merged with it.
    ///
    /// - Throws: A ``Problem`` if another replay is running, `PublishingService.Failure` for a draft that does not
    ///   exist or may not be published, `CancellationError` if the client is gone.
    package func replay(
        _ request: ReplayRequest,
        at location: PublishingService.DraftLocation,
        limit: KeyGrant? = nil
    ) async throws -> ReplayReport {
        // The actor is reentrant: a second call may begin while the first one waits for the log.
        guard !isBusy else {
            var problem = Problem(.busy, "Another replay is running. Only one can run at a time; try again later.")
            problem.hints = [.retryAfter(seconds: 10)]
            throw problem
        }
        isBusy = true
        defer { isBusy = false }

        let (live, draft) = try await publishing.comparison(at: location, limit: limit)
        // The tables are in memory, and reading the log may take long.
        DocumentMemory.current?.end()
        var accumulator = ReplayAccumulator(live: live, draft: draft)
        let end = now()
        let start = Timestamp(milliseconds: end.milliseconds - request.seconds * 1_000)
        var oldest = start
        var isLimited = false
        var before = LogCursor.unread
        pages: while true {
            try checkClient()
            guard !hasRunLong(since: end) else {
                isLimited = true
                break
            }
            let page = try await history.events(
                of: location.tenant,
                before: before,
                since: start.day,
                limit: Self.pageSize
            )
            for event in page.lazy.map(\.event)
            where (start...end).contains(event.recordedAt) && event.environment == location.environment {
                guard request.purposes.contains(event.purpose), [.resolve, .click, .app].contains(event.kind) else {
                    continue
                }
                try checkClient()
                if accumulator.events == request.limit || hasRunLong(since: end) {
                    isLimited = true
                    break pages
                }
                accumulator.add(event)
                oldest = event.recordedAt
            }
            // A single event before the start may come from a clock that was behind. Only a whole page of them ends the
            // search.
            guard page.count == Self.pageSize,
                page.contains(where: { $0.event.recordedAt >= start })
            else { break }
            for event in page { before.pass(event) }
        }
        return accumulator.report(from: isLimited ? oldest : start, to: end, isLimited: isLimited)
    }

    private func hasRunLong(since start: Timestamp) -> Bool {
        now().milliseconds - start.milliseconds > Self.longestTime
    }

    /// - Throws: `CancellationError` if the client is gone.
    private func checkClient() throws {
        try Task.checkCancellation()
        guard ClientPresence.current?.isGone != true else { throw CancellationError() }
    }
}
