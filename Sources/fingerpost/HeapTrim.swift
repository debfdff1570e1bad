import LinkEvents
import ServiceLifecycle

#if canImport(CMalloc)
    import CMalloc
#endif

/// Gives memory back to the system that was needed once: the allocator of Linux keeps what was freed. Looks now and then, on a thread
/// of its own, for it takes as long as there is to give back.
actor HeapTrim: Service {
    private let executor = BlockingExecutor(label: "fingerpost.heap.trim")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private static let pause = Duration.seconds(10)
    /// So much more must be free than before.
    private static let step = 32 << 20

    private let sleep: @Sendable (Duration) async throws -> Void
    /// The least that was free since it was given back last.
    private var leastFree = 0

    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await self.sleep(Self.pause)) != nil { await self.look() }
        }
    }

    private func look() {
        #if canImport(CMalloc)
            let free = Int(clamping: mallinfo2().fordblks)
            leastFree = min(leastFree, free)
            guard free - leastFree > Self.step else { return }
            malloc_trim(0)
            leastFree = free
        #endif
    }
}
