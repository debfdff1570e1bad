import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The queue of a ``WorkPool``, and its threads.
final class WorkQueue: Sendable {
    /// One piece of work. Either `run` completes it, or `refuse` is called when it is refused or cancelled.
    final class Work: Sendable {
        let caller: WorkPool.Caller
        /// Whether the limits of waiting work do not apply.
        let isContinued: Bool
        let run: @Sendable () -> Void
        let refuse: @Sendable (any Error) -> Void

        init(
            of caller: WorkPool.Caller,
            isContinued: Bool,
            run: @escaping @Sendable () -> Void,
            refuse: @escaping @Sendable (any Error) -> Void
        ) {
            self.caller = caller
            self.isContinued = isContinued
            self.run = run
            self.refuse = refuse
        }
    }

    private struct State {
        /// The waiting work of each caller, in order of arrival.
        var waiting: [WorkPool.Caller: [Work]] = [:]
        /// The callers that are ready: they have waiting work and nothing running. The first is next.
        var turns: [WorkPool.Caller] = []
        /// A caller has at most one piece of work running.
        var running: [WorkPool.Caller: Work] = [:]
        var threads = 0
        var isClosed = false
        var counts = WorkPool.Counts()
    }

    private let threads: Int
    private let waitingOfCaller: Int
    private let waiting: Int
    private let state = Mutex(State())
    /// Signalled for every ready caller and, on closing, for every thread.
    private let turns = DispatchSemaphore(value: 0)

    init(threads: Int, waitingOfCaller: Int, waiting: Int) {
        self.threads = threads
        self.waitingOfCaller = waitingOfCaller
        self.waiting = waiting
    }

    var counts: WorkPool.Counts { state.withLock(\.counts) }

    // MARK: Adding and removing work

    func add(_ work: Work) {
        let (refusal, needsThread) = state.withLock { state -> (WorkPool.Refusal?, Bool) in
            let own = state.waiting[work.caller]?.count ?? 0
            // Work that can start immediately does not count as waiting.
            let isFree = own == 0 && state.running[work.caller] == nil && state.running.count < threads
            if state.isClosed { return (.closed, false) }
            if !isFree, !work.isContinued, own >= waitingOfCaller || state.counts.waiting >= waiting {
                state.counts.refused += 1
                return (own >= waitingOfCaller ? .tooMuchOfCaller : .tooMuch, false)
            }
            // What has begun ends first. If requests took turns, none of many large ones would end in time.
            let place = work.isContinued ? 0 : own
            state.waiting[work.caller, default: []].insert(work, at: place)
            state.counts.waiting += 1
            if own == 0, state.running[work.caller] == nil {
                state.turns.append(work.caller)
                turns.signal()
            }
            guard state.threads < threads else { return (nil, false) }
            state.threads += 1
            return (nil, true)
        }
        if let refusal { return work.refuse(refusal) }
        if needsThread { startThread() }
    }

    /// Removes waiting work from the queue. Running work sees its own ``Cancellation`` and keeps its thread until it
    /// ends.
    func cancel(_ work: Work) {
        let wasHere = state.withLock { state in
            if state.running[work.caller] === work {
                state.counts.cancelled += 1
                return true
            }
            guard let index = state.waiting[work.caller]?.firstIndex(where: { $0 === work }) else { return false }
            state.waiting[work.caller]?.remove(at: index)
            state.counts.waiting -= 1
            state.counts.cancelled += 1
            if state.waiting[work.caller]?.isEmpty == true {
                state.waiting[work.caller] = nil
                state.turns.removeAll { $0 == work.caller }
            }
            return true
        }
        if wasHere { work.refuse(CancellationError()) }
    }

    func close() {
        let (left, threads) = state.withLock { state in
            state.isClosed = true
            let left = state.waiting.values.flatMap(\.self) + state.running.values
            state.counts.cancelled += Int64(left.count)
            state.counts.waiting = 0
            state.waiting = [:]
            state.turns = []
            return (left, state.threads)
        }
        for work in left { work.refuse(CancellationError()) }
        for _ in 0..<threads { turns.signal() }
    }

    // MARK: Threads

    private func startThread() {
        let thread = Thread { [self] in
            Self.lowerPriority()
            while work() {}
        }
        thread.name = "fingerpost.work"
        // Documents are read recursively, and Darwin gives a thread only 512 KiB of stack.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Lowers the thread's priority below that of the threads that answer requests.
    private static func lowerPriority() {
        #if canImport(Glibc)
            // On Linux, niceness is a property of a thread, and 0 denotes the calling one. Failure is harmless.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }

    /// Runs the next piece of work. Returns false when the queue is closed and empty.
    private func work() -> Bool {
        turns.wait()
        let (next, isClosed) = state.withLock { state -> (Work?, Bool) in
            guard !state.turns.isEmpty else { return (nil, state.isClosed) }
            let caller = state.turns.removeFirst()
            guard let work = state.waiting[caller]?.removeFirst() else { return (nil, state.isClosed) }
            if state.waiting[caller]?.isEmpty == true { state.waiting[caller] = nil }
            state.running[caller] = work
            state.counts.waiting -= 1
            state.counts.running += 1
            return (work, false)
        }
        guard let next else { return !isClosed }
        next.run()
        state.withLock { state in
            state.running[next.caller] = nil
            state.counts.running -= 1
            state.counts.done += 1
            if state.waiting[next.caller] != nil {
                state.turns.append(next.caller)
                turns.signal()
            }
        }
        return true
    }
}
