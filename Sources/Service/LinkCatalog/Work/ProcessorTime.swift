#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// The time that processors spent, in nanoseconds. Time in which a thread waits does not count.
package enum ProcessorTime {
    /// On the calling thread.
    package static var thread: UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }
    /// On all threads of the process.
    package static var process: UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }
}
