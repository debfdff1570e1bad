import LinkEvents
import ServiceLifecycle

#if canImport(CMalloc)
    import CMalloc
#endif

/// Returns freed heap memory to the system, because the Linux allocator keeps it. Checks periodically, on its own
/// thread, because trimming takes time proportional to the freed memory.
actor HeapTrim: Service {
    private let executor = BlockingExecutor(label: "fingerpost.heap.trim")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private static let pause = Duration.seconds(10)
    /// The increase in free memory that triggers a trim, in bytes.
    private static let step = 32 << 20

    private let sleep: @Sendable (Duration) async throws -> Void
    /// The least free memory seen since the last trim.
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
