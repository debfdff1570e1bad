import LinkRouting

/// What becomes of events that were handed to the recorder.
package enum RecordResult: Sendable, Hashable {
    /// Committed and synced; the sequence of the first event.
    case stored(firstSequence: Int64)
    case refused(Refusal)

    package enum Refusal: String, Sendable, CaseIterable {
        /// The recorder holds as much as it may.
        case queueFull = "queue_full"
        case diskFull = "disk_full"
        /// More than 100 events a second that belong to no tenant. Only those are counted as refused: the request's others
        /// are to be handed in again without them.
        case unownedRate = "unowned_rate"
        case stopping
        /// The log cannot hold this event.
        case unstorable
        /// A write or fsync failed; the process is about to end.
        case ioError = "io_error"
    }
}

/// The recorder's decisions, without a lock, a clock or a file.
struct RecorderStateMachine {
    struct Limits {
        var waitingEvents = 8_192
        var waitingBytes = 16 << 20
        var batchEvents = 1_024
        var batchBytes = 1 << 20
        var unownedPerSecond = 100
    }

    /// The events of one request: committed together or not at all.
    struct Request {
        let events: [Event]
        let byteCount: Int
        let completion: @Sendable (RecordResult) -> Void

        var unownedCount: Int { events.count { $0.tenant == .none } }
    }

    enum Work {
        case batch([Request])
        /// Everything handed in before it is committed.
        case fence(@Sendable (Result<Int64, any Error>) -> Void)
    }

    private struct Fence {
        /// How many requests of the queue come before it.
        var place: Int
        let completion: @Sendable (Result<Int64, any Error>) -> Void
    }

    private struct Size {
        var events = 0
        var bytes = 0
    }

    private let limits: Limits
    /// What nobody has taken yet.
    private var queue: [Request] = []
    private var queueSize = Size()
    private var fences: [Fence] = []
    /// As `counts.waiting`, of events that have no answer yet: those that are being written count too.
    private var waitingBytes = 0
    private var unownedSecond: Int64 = .min
    private var unownedCount = 0
    private(set) var isStopping = false
    private(set) var counts = EventRecorder.Counts()

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Nil when the events now wait.
    mutating func submit(_ request: Request, at now: Timestamp) -> RecordResult.Refusal? {
        if let refusal = refusal(for: request, at: now) {
            // The others of the request are handed in again without those that belong to no tenant, and counted then.
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

    /// False when the recorder has ended.
    mutating func submitFence(_ completion: @escaping @Sendable (Result<Int64, any Error>) -> Void) -> Bool {
        guard !isStopping else { return false }
        fences.append(Fence(place: queue.count, completion: completion))
        return true
    }

    /// Everything that waits, up to the batch's bounds or the next fence; nil when nothing does.
    mutating func take() -> Work? {
        if let fence = fences.first, fence.place == 0 {
            fences.removeFirst()
            return .fence(fence.completion)
        }
        guard !queue.isEmpty else { return nil }
        guard fences.isEmpty, queueSize.events <= limits.batchEvents, queueSize.bytes <= limits.batchBytes else {
            return .batch(takeBeginning())
        }
        // As a rule all of it: no request is looked at, and none is copied.
        let batch = queue
        queue = []
        queue.reserveCapacity(batch.count)
        queueSize = Size()
        return .batch(batch)
    }

    private mutating func takeBeginning() -> [Request] {
        var size = Size()
        let end = queue[..<(fences.first?.place ?? queue.count)].firstIndex { request in
            size.events += request.events.count
            size.bytes += request.byteCount
            return size.events > limits.batchEvents || size.bytes > limits.batchBytes
        }
        // A request that is larger than a batch is one of its own.
        let count = max(1, end ?? fences.first?.place ?? queue.count)
        let batch = Array(queue[..<count])
        queue.removeFirst(count)
        for request in batch {
            queueSize.events -= request.events.count
            queueSize.bytes -= request.byteCount
        }
        for index in fences.indices { fences[index].place -= count }
        return batch
    }

    var hasWork: Bool { !queue.isEmpty || !fences.isEmpty }

    mutating func finished(_ request: Request, _ result: RecordResult) {
        counts.waiting -= request.events.count
        waitingBytes -= request.byteCount
        switch result {
        case .stored: counts.stored += request.events.count
        case .refused(let refusal): counts.refused[refusal, default: 0] += request.events.count
        }
    }

    /// From now on nothing is taken in; what waits is still written.
    mutating func stop() { isStopping = true }
}
