import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// What waits for the threads of a ``WorkPool``, and the threads.
final class WorkQueue: Sendable {
    /// One piece of work. It is told once what became of it: by `run`, or by `refuse` where it does not run to its end.
    final class Work: Sendable {
        let caller: WorkPool.Caller
        let run: @Sendable () -> Void
        let refuse: @Sendable (any Error) -> Void

        init(
            of caller: WorkPool.Caller,
            run: @escaping @Sendable () -> Void,
            refuse: @escaping @Sendable (any Error) -> Void
        ) {
            self.caller = caller
            self.run = run
            self.refuse = refuse
        }
    }

    private struct State {
        /// In the order in which it came.
        var waiting: [WorkPool.Caller: [Work]] = [:]
        /// The callers whose turn may come: something of them waits and nothing runs. The first is next.
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
    /// Raised for every turn and, on closing, for every thread.
    private let turns = DispatchSemaphore(value: 0)

    init(threads: Int, waitingOfCaller: Int, waiting: Int) {
        self.threads = threads
        self.waitingOfCaller = waitingOfCaller
        self.waiting = waiting
    }

    var counts: WorkPool.Counts { state.withLock(\.counts) }

    // MARK: Coming and going

    func add(_ work: Work) {
        let (refusal, needsThread) = state.withLock { state -> (WorkPool.Refusal?, Bool) in
            let own = state.waiting[work.caller]?.count ?? 0
            // What runs at once waits for nobody.
            let isFree = own == 0 && state.running[work.caller] == nil && state.running.count < threads
            if state.isClosed { return (.closed, false) }
            if !isFree, own >= waitingOfCaller || state.counts.waiting >= waiting {
                state.counts.refused += 1
                return (own >= waitingOfCaller ? .tooMuchOfCaller : .tooMuch, false)
            }
            state.waiting[work.caller, default: []].append(work)
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

    /// What waits is taken out; what runs is told by its own ``Cancellation``, and keeps its thread until it ends.
    func cancel(_ work: Work) {
        let wasHere = state.withLock { state in
            if state.running[work.caller] === work {
                state.counts.cancelled += 1
                return true
            }
            guard let place = state.waiting[work.caller]?.firstIndex(where: { $0 === work }) else { return false }
            state.waiting[work.caller]?.remove(at: place)
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
        // Documents are read by functions that call themselves for what stands inside; Darwin gives a thread 512 KiB.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Lets the threads that answer go first.
    private static func lowerPriority() {
        #if canImport(Glibc)
            // On Linux the niceness is a thread's own, and 0 stands for the one that calls. Without it the work is done all the same.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }

    /// Does what is next; false when there will be nothing more.
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
