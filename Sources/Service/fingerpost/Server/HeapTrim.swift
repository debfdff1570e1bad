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
    private static let step = 8 << 20

    /// The size from which a block has a mapping of its own, which ends when the block is freed, in bytes.
    private static let largeBlock = 1 << 20
    /// The most free memory at the end of an arena that is not returned at once, in bytes.
    private static let keptPerArena = 2 << 20

    private let sleep: @Sendable (Duration) async throws -> Void
    /// The least free memory seen since the last trim.
    private var leastFree = 0

    init(sleep: @escaping @Sendable (Duration) async throws -> Void) {
        #if canImport(CMalloc)
            // By default, glibc raises both thresholds up to 32 and 64 MiB when large blocks are freed. Then each thread's
            // arena keeps up to 64 MiB at its end, which `malloc_trim` does not return.
            mallopt(M_MMAP_THRESHOLD, Int32(Self.largeBlock))
            mallopt(M_TRIM_THRESHOLD, Int32(Self.keptPerArena))
        #endif
        self.sleep = sleep
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await self.sleep(Self.pause)) != nil { await self.trimIfNeeded() }
        }
    }

    private func trimIfNeeded() {
        #if canImport(CMalloc)
            let free = Int(clamping: mallinfo2().fordblks)
            leastFree = min(leastFree, free)
            guard free - leastFree > Self.step else { return }
            malloc_trim(0)
            leastFree = free
        #endif
    }
}
