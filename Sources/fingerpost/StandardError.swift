import Dispatch
import Foundation
import LinkServer
import Logging
import NetworkTypes
import Synchronization

/// Standard error, written in whole lines. Once it takes the log, a separate thread writes, so that no caller waits for
/// the reader.
enum StandardError {
    private static let log = Mutex<LogWriter?>(nil)

    static func write(_ line: [UInt8]) {
        guard let writer = log.withLock({ $0 }) else {
            // A failed write to standard error cannot be reported anywhere.
            _ = writeAll(line, to: STDERR_FILENO)
            return
        }
        writer.append(line)
    }

    /// Makes all loggers of the process write here, with the trace of their task.
    static func takeLog(_ settings: LogSettings) {
        let writer = LogWriter { settings.lineAboutLost($0, at: Server.now()) }
        log.withLock { $0 = writer }
        let traces = Logger.MetadataProvider {
            TraceContext.current.map { ["trace_id": "\($0.traceID)"] } ?? [:]
        }
        LoggingSystem.bootstrap(
            { _, provider in
                LineLogHandler(
                    settings: settings,
                    metadataProvider: provider,
                    now: Server.now,
                    write: writer.append
                )
            },
            metadataProvider: traces
        )
    }

    /// Waits until the log is written, for two seconds at most. Called before the process exits.
    static func flush() { log.withLock { $0 }?.flush(within: .seconds(2)) }
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
