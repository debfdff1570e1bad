import ServiceLifecycle
import Synchronization

/// Probes the writer of the event log every second, and records when it last responded: a disk that hangs blocks the
/// writer, and then no request can be recorded.
package final class WriterHeartbeat: Service {
    private let probe: @Sendable () async throws -> Void
    private let sleep: @Sendable (Duration) async throws -> Void
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let last: Mutex<Sign>

    private struct Sign {
        var instant: ContinuousClock.Instant
        var failure: String?
    }

    /// Time without a response after which the writer is considered stuck.
    package static let patience = Duration.seconds(5)

    /// - Parameter probe: Returns when the writer has completed the work queued before; throws if the writer writes
    ///   without syncing.
    package init(
        probe: @escaping @Sendable () async throws -> Void,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.probe = probe
        self.sleep = sleep
        self.uptime = uptime
        last = Mutex(Sign(instant: uptime()))
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await self.probe()
                    self.note(failure: nil)
                } catch is CancellationError {
                    return
                } catch {
                    self.note(failure: "\(error)")
                }
                guard (try? await self.sleep(.seconds(1))) != nil else { return }
            }
        }
    }

    private func note(failure: String?) {
        let instant = uptime()
        last.withLock { last in
            if failure == nil { last.instant = instant }
            last.failure = failure
        }
    }

    /// The readiness check of the writer.
    package var check: Health.Check {
        Health.Check("writer") { [self] in
            let last = last.withLock { $0 }
            if let failure = last.failure { return .bad(failure) }
            let age = uptime() - last.instant
            let seconds = age.components.seconds
            return age < Self.patience ? .good("responded \(seconds) s ago") : .bad("no response for \(seconds) s")
        }
    }
}
