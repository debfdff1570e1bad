import HTTPTypes
package import LinkCatalog
package import LinkEvents
package import LinkRouting

/// Runs recorded links against a draft. One replay at a time, on a thread of its own: what it computes takes seconds, and
/// the threads that answer requests are few.
package actor Replayer {
    private let executor = BlockingExecutor(label: "fingerpost.replay")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let history: any EventHistory
    private let editor: PublishingService
    private let now: @Sendable () -> Timestamp
    private var isBusy = false

    /// Events that are in memory at once.
    private static let pageSize = 1_000

    package init(history: any EventHistory, editor: PublishingService, now: @escaping @Sendable () -> Timestamp) {
        self.history = history
        self.editor = editor
        self.now = now
    }

    /// Answers the newest recorded links from the live table and from the draft merged on it. Throws
    /// `PublishingService.Failure` for a draft that is not there or may not be published.
    package func replay(
        _ wish: ReplayRequest,
        at place: PublishingService.DraftLocation,
        limit: KeyGrant? = nil
    ) async throws -> ReplayReport {
        // The actor takes a second call while the first one waits for the log.
        guard !isBusy else {
            var problem = Problem(.busy, "Another replay is running; one runs at a time. Try again when it is done.")
            problem.headers[.retryAfter] = "10"
            throw problem
        }
        isBusy = true
        defer { isBusy = false }

        let (live, draft) = try await editor.comparison(at: place, limit: limit)
        // The tables are read; the log may take long.
        LargeDocuments.turn?.rest()
        var tally = ReplayTally(live: live, draft: draft)
        let end = now()
        let start = Timestamp(milliseconds: end.milliseconds - wish.seconds * 1_000)
        var oldest = start
        var isLimited = false
        var before = Int64.max
        pages: while true {
            try Task.checkCancellation()
            guard ClientPresence.current?.isGone != true else { throw CancellationError() }
            let page = try await history.events(
                of: place.tenant,
                before: before,
                since: start.day,
                limit: Self.pageSize
            )
            for event in page.lazy.map(\.event)
            where (start...end).contains(event.recordedAt) && event.environment == place.environment {
                guard wish.purposes.contains(event.purpose), [.resolve, .click].contains(event.kind) else { continue }
                if tally.events == wish.limit {
                    isLimited = true
                    break pages
                }
                tally.add(event)
                oldest = event.recordedAt
            }
            // A single event before the start may be one of a clock that was behind; a page of them is the past.
            guard page.count == Self.pageSize, let last = page.last,
                page.contains(where: { $0.event.recordedAt >= start })
            else { break }
            before = last.sequence
        }
        return tally.report(from: isLimited ? oldest : start, to: end, isLimited: isLimited)
    }
}
