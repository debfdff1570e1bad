import Dispatch
import Foundation
import LinkServer
import Logging
import OutboundHTTP
import Synchronization

/// Standard error, which takes whole lines. Once the log goes there, a thread of its own writes: nobody waits for the reader.
enum StandardError {
    private static let log = Mutex<LogWriter?>(nil)

    static func write(_ line: [UInt8]) {
        guard let writer = log.withLock({ $0 }) else {
            // Where it cannot be written there is nobody left to tell.
            _ = writeAll(line, to: STDERR_FILENO)
            return
        }
        writer.append(line)
    }

    /// Makes every logger of the process write here, and name the trace that its task works for.
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

    /// Before the process ends: waits until the log is written, for two seconds at most.
    static func flush() { log.withLock { $0 }?.flush(within: .seconds(2)) }
}

/// Writes the log on a thread of its own, in the order in which lines came.
private final class LogWriter: Sendable {
    private struct State {
        /// As much again may just be being written.
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
