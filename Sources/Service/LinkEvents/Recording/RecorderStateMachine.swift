package import LinkRouting

/// The result of recording events.
package enum RecordResult: Sendable, Hashable {
    /// Committed and synced, with the sequence of the first stored event and the indices of the events that the log
    /// already had.
    case stored(firstSequence: Int64, duplicates: [Int] = [])
    case refused(Refusal)
    /// Nothing was queued, because the events of these tenants exceed a limit. Only they count as refused; the caller
    /// submits the request's other events again without them.
    case overLimit(Refusal, Set<TenantID>)

    package enum Refusal: String, Sendable, CaseIterable {
        /// The queue has reached its limit.
        case queueFull = "queue_full"
        case diskFull = "disk_full"
        /// More than 100 events per second that belong to no tenant; a result `overLimit`.
        case unownedRate = "unowned_rate"
        /// A tenant has recorded its bytes of the day from requests without one of its keys; a result `overLimit`.
        case dayBytes = "day_bytes"
        /// The log already has the reported event. Only counted: the result of the request is `stored`.
        case duplicate
        case stopping
        /// The log cannot store this event.
        case unstorable
        /// A write or fsync failed; the process is about to exit.
        case ioError = "io_error"
    }
}

/// Whose key a request carries. Its events of all other tenants count against their bytes of the day.
package enum KeyOwner: Sendable, Hashable {
    case nobody
    case tenant(TenantID)
    case everyTenant

    fileprivate func covers(_ tenant: TenantID) -> Bool {
        switch self {
        case .nobody: false
        case .tenant(let owner): owner == tenant
        case .everyTenant: true
        }
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
        /// Bytes of a tenant's events in a UTC day from requests without one of its keys; 0 for no limit.
        var dayBytes = 0
    }

    /// The events of one request, which are committed together or not at all.
    struct Request {
        let events: [Event]
        let byteCount: Int
        let key: KeyOwner
        let completion: @Sendable (RecordResult) -> Void

        init(events: [Event], key: KeyOwner, completion: @escaping @Sendable (RecordResult) -> Void) {
            self.events = events
            byteCount = events.reduce(0) { $0 + $1.byteCount }
            self.key = key
            self.completion = completion
        }

        var unownedCount: Int { events.count { $0.content.fields.tenant == .none } }

        /// Calls `body` with the tenant and the bytes of each event that counts against the bytes of a day.
        ///
        /// - Parameter excluded: Indices of events to leave out.
        func forEachKeyless(besides excluded: [Int] = [], _ body: (_ tenant: TenantID, _ bytes: Int) -> Void) {
            for index in events.indices where !excluded.contains(index) {
                let tenant = events[index].content.fields.tenant
                if !key.covers(tenant) { body(tenant, events.count == 1 ? byteCount : events[index].byteCount) }
            }
        }
    }

    /// Why a request is not queued.
    struct Refused: Equatable {
        let reason: RecordResult.Refusal
        /// The tenants whose events exceed the limit; nil if the whole request is refused.
        var tenants: Set<TenantID>?

        var result: RecordResult { tenants.map { .overLimit(reason, $0) } ?? .refused(reason) }

        func eventCount(of request: Request) -> Int {
            guard let tenants else { return request.events.count }
            return request.events.count { tenants.contains($0.tenant) }
        }
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

    /// May change while requests wait.
    var limits: Limits
    /// Requests that the writer has not taken yet.
    private var queue: [Request] = []
    private var queueSize = Size()
    private var fences: [Fence] = []
    /// The bytes of all events without a result, including those being written; compare `counts.waiting`.
    private var waitingBytes = 0
    private var unownedSecond: Int64 = .min
    private var unownedCount = 0
    private var day: Int64 = .min
    /// The bytes recorded today without a key, by tenant: as many entries as there are tenants, at most.
    private var keylessBytes: [TenantID: Int] = [:]
    private(set) var isStopping = false
    private(set) var counts = EventRecorder.Counts()

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Queues the request; returns the reason if it is refused, otherwise nil.
    mutating func submit(_ request: Request, at now: Timestamp) -> Refused? {
        if let refused = refusal(of: request, at: now) {
            // The other events of a request over a limit are submitted again, and counted then.
            let events = refused.eventCount(of: request)
            counts.received += events
            counts.refused[refused.reason, default: 0] += events
            return refused
        }
        counts.received += request.events.count
        counts.waiting += request.events.count
        waitingBytes += request.byteCount
        queue.append(request)
        queueSize.events += request.events.count
        queueSize.bytes += request.byteCount
        return nil
    }

    private mutating func refusal(of request: Request, at now: Timestamp) -> Refused? {
        guard !isStopping else { return Refused(reason: .stopping) }
        guard counts.waiting + request.events.count <= limits.waitingEvents,
            waitingBytes + request.byteCount <= limits.waitingBytes
        else { return Refused(reason: .queueFull) }
        begin(dayOf: now)
        if limits.dayBytes > 0 {
            var over: Set<TenantID> = []
            request.forEachKeyless { tenant, _ in
                if keylessBytes[tenant, default: 0] >= limits.dayBytes { over.insert(tenant) }
            }
            if !over.isEmpty { return Refused(reason: .dayBytes, tenants: over) }
        }
        let unowned = request.unownedCount
        guard unowned > 0 else { return nil }
        let second = now.milliseconds / 1_000
        if second != unownedSecond { (unownedSecond, unownedCount) = (second, 0) }
        guard unownedCount + unowned <= limits.unownedPerSecond else {
            return Refused(reason: .unownedRate, tenants: [.none])
        }
        unownedCount += unowned
        return nil
    }

    private mutating func begin(dayOf now: Timestamp) {
        let today = now.milliseconds / 86_400_000
        if today != day { (day, keylessBytes) = (today, [:]) }
    }

    /// The bytes recorded without a key on the day of `now`, by tenant.
    mutating func keylessBytes(at now: Timestamp) -> [TenantID: Int] {
        begin(dayOf: now)
        return keylessBytes
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
            request.forEachKeyless(besides: duplicates) { keylessBytes[$0, default: 0] += $1 }
        case .refused(let refusal), .overLimit(let refusal, _):
            counts.refused[refusal, default: 0] += request.events.count
        }
    }

    /// Refuses new requests from now on; queued requests are still written.
    mutating func stop() { isStopping = true }
}
