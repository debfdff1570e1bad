import NIOPosix

/// Runs work that takes long or reads files on a thread of the process's pool, which is never shut down.
func offEventLoop<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        NIOThreadPool.singleton.submit { _ in continuation.resume(returning: work()) }
    }
}
