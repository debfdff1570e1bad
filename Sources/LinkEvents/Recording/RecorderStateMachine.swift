import LinkRouting

/// The result of recording events.
package enum RecordResult: Sendable, Hashable {
    /// Committed and synced, with the sequence of the first stored event and the indices of the events that the log
    /// already had.
    case stored(firstSequence: Int64, duplicates: [Int] = [])
    case refused(Refusal)

    package enum Refusal: String, Sendable, CaseIterable {
        /// The queue has reached its limit.
        case queueFull = "queue_full"
        case diskFull = "disk_full"
        /// More than 100 events per second that belong to no tenant. Only those events count as refused; the caller
        /// submits the request's other events again without them.
        case unownedRate = "unowned_rate"
        /// The log already has the reported event. Only counted: the result of the request is `stored`.
        case duplicate
        case stopping
        /// The log cannot store this event.
        case unstorable
        /// A write or fsync failed; the process is about to exit.
        case ioError = "io_error"
    }
}

/// The recorder's decisions, independent of locks, clocks and files.
struct RecorderStateMachine {
    struct Limits {
        var waitingEvents = 8_192
        var waitingBytes = 16 << 20
        var batchEvents = 1_024
        var batchBytes = 1 << 20
        var unownedPerSecond = 100
    }

    /// The events of one request, which are committed together or not at all.
    struct Request {
        let events: [Event]
        let byteCount: Int
        let completion: @Sendable (RecordResult) -> Void

        var unownedCount: Int { events.count { $0.tenant == .none } }
    }

    enum Work {
        case batch([Request])
        /// Completes once all events submitted before it are committed.
        case fence(@Sendable (Result<Int64, any Error>) -> Void)
    }

    private struct Fence {
        /// The number of queued requests ahead of the fence.
        var requestsAhead: Int
        let completion: @Sendable (Result<Int64, any Error>) -> Void
    }

    private struct Size {
        var events = 0
        var bytes = 0
    }

    private let limits: Limits
    /// Requests that the writer has not taken yet.
    private var queue: [Request] = []
    private var queueSize = Size()
    private var fences: [Fence] = []
    /// The bytes of all events without a result, including those being written; compare `counts.waiting`.
    private var waitingBytes = 0
    private var unownedSecond: Int64 = .min
    private var unownedCount = 0
    private(set) var isStopping = false
    private(set) var counts = EventRecorder.Counts()

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Queues the request; returns the reason if it is refused, otherwise nil.
    mutating func submit(_ request: Request, at now: Timestamp) -> RecordResult.Refusal? {
        if let refusal = refusal(for: request, at: now) {
            // The request's other events are submitted again without the unowned ones, and counted then.
            let refused = refusal == .unownedRate ? request.unownedCount : request.events.count
            counts.received += refused
            counts.refused[refusal, default: 0] += refused
            return refusal
        }
        counts.received += request.events.count
        counts.waiting += request.events.count
        waitingBytes += request.byteCount
        queue.append(request)
        queueSize.events += request.events.count
        queueSize.bytes += request.byteCount
        return nil
    }

    private mutating func refusal(for request: Request, at now: Timestamp) -> RecordResult.Refusal? {
        guard !isStopping else { return .stopping }
        guard counts.waiting + request.events.count <= limits.waitingEvents,
            waitingBytes + request.byteCount <= limits.waitingBytes
        else { return .queueFull }
        let unowned = request.unownedCount
        guard unowned > 0 else { return nil }
        let second = now.milliseconds / 1_000
        if second != unownedSecond { (unownedSecond, unownedCount) = (second, 0) }
        guard unownedCount + unowned <= limits.unownedPerSecond else { return .unownedRate }
        unownedCount += unowned
        return nil
    }

    /// Returns false if the recorder is stopping.
    mutating func submitFence(_ completion: @escaping @Sendable (Result<Int64, any Error>) -> Void) -> Bool {
        guard !isStopping else { return false }
        fences.append(Fence(requestsAhead: queue.count, completion: completion))
        return true
    }

    /// Takes all queued requests, up to the batch limits or the next fence; nil if there are none.
    mutating func take() -> Work? {
        if let fence = fences.first, fence.requestsAhead == 0 {
            fences.removeFirst()
            return .fence(fence.completion)
        }
        guard !queue.isEmpty else { return nil }
        guard fences.isEmpty, queueSize.events <= limits.batchEvents, queueSize.bytes <= limits.batchBytes else {
            return .batch(takeBeginning())
        }
        // The common case takes the whole queue without copying or inspecting requests.
        let batch = queue
        queue = []
        queue.reserveCapacity(batch.count)
        queueSize = Size()
        return .batch(batch)
    }

    private mutating func takeBeginning() -> [Request] {
        var size = Size()
        let end = queue[..<(fences.first?.requestsAhead ?? queue.count)].firstIndex { request in
            size.events += request.events.count
            size.bytes += request.byteCount
            return size.events > limits.batchEvents || size.bytes > limits.batchBytes
        }
        // A request larger than a batch is written alone.
        let count = max(1, end ?? fences.first?.requestsAhead ?? queue.count)
        let batch = Array(queue[..<count])
        queue.removeFirst(count)
        for request in batch {
            queueSize.events -= request.events.count
            queueSize.bytes -= request.byteCount
        }
        for index in fences.indices { fences[index].requestsAhead -= count }
        return batch
    }

    var hasWork: Bool { !queue.isEmpty || !fences.isEmpty }

    mutating func finished(_ request: Request, _ result: RecordResult) {
        counts.waiting -= request.events.count
        waitingBytes -= request.byteCount
        switch result {
        case .stored(_, let duplicates):
            counts.stored += request.events.count - duplicates.count
            if !duplicates.isEmpty { counts.refused[.duplicate, default: 0] += duplicates.count }
        case .refused(let refusal): counts.refused[refusal, default: 0] += request.events.count
        }
    }

    /// Refuses new requests from now on; queued requests are still written.
    mutating func stop() { isStopping = true }
}
