import Dispatch
import Foundation
import LinkServer
import Logging
import Networking
import Synchronization

/// The log of the process, on standard error. A separate thread writes it, so that no caller waits for the reader.
enum ProcessLog {
    private static let writer = Mutex<LogWriter?>(nil)

    /// Makes all loggers of the process write there, with the trace of their task, and ``StandardError`` as well.
    static func start(_ settings: LogSettings) {
        let writer = LogWriter { settings.lineAboutLost($0, at: SystemClock.now()) }
        Self.writer.withLock { $0 = writer }
        StandardError.redirect(to: writer.append)
        let traces = Logger.MetadataProvider {
            TraceContext.current.map { ["trace_id": "\($0.traceID)"] } ?? [:]
        }
        LoggingSystem.bootstrap(
            { _, provider in
                LineLogHandler(
                    settings: settings,
                    metadataProvider: provider,
                    now: SystemClock.now,
                    write: writer.append
                )
            },
            metadataProvider: traces
        )
    }

    /// Whether all output on standard error is in the log's format.
    static var isStarted: Bool { writer.withLock { $0 != nil } }

    /// Waits until the log is written, for two seconds at most. Called before the process exits.
    static func flush() { writer.withLock { $0 }?.flush(within: .seconds(2)) }
}

/// Writes log lines in order, on a separate thread.
private final class LogWriter: Sendable {
    private struct State {
        /// Pending lines. As many bytes again may be in the current write.
        var lines = LineBuffer(capacity: 2 << 20)
        var isWriting = false
        /// Signalled when all lines are written.
        var flushes: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let lineAboutLost: @Sendable (Int) -> [UInt8]

    init(lineAboutLost: @escaping @Sendable (Int) -> [UInt8]) {
        self.lineAboutLost = lineAboutLost
        Thread.detachNewThread { [self] in run() }
    }

    @Sendable func append(_ line: [UInt8]) {
        let wasEmpty = state.withLock { state in
            let wasEmpty = state.lines.isEmpty
            state.lines.append(line)
            return wasEmpty
        }
        if wasEmpty { wake.signal() }
    }

    func flush(within patience: DispatchTimeInterval) {
        let flushed: DispatchSemaphore? = state.withLock { state in
            guard state.isWriting || !state.lines.isEmpty else { return nil }
            let flushed = DispatchSemaphore(value: 0)
            state.flushes.append(flushed)
            return flushed
        }
        _ = flushed?.wait(timeout: .now() + patience)
    }

    private func run() {
        while true {
            let lines = state.withLock { state in
                state.isWriting = !state.lines.isEmpty
                if !state.isWriting {
                    for flushed in state.flushes { flushed.signal() }
                    state.flushes = []
                }
                return state.lines.take(lineAboutLost)
            }
            if lines.isEmpty { wake.wait() } else { _ = writeAll(lines, to: STDERR_FILENO) }
        }
    }
}
