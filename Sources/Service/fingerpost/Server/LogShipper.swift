import Foundation
import HTTPTransport
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import PostgresStorage
import ServiceLifecycle
import Synchronization

/// Ships this node's log to PostgreSQL. Links never wait for it, and what is not shipped stays in the log.
final class LogShipper: Service {
    private let log: EventLog
    private let shipment: LogShipment
    private let logger: Logger
    private let failure = Mutex<(any Error)?>(nil)

    /// After everything was shipped.
    private static let pause = Duration.milliseconds(500)
    private static let pauseAfterFailure = Duration.seconds(2)
    /// How long a stopping process ships what is left.
    private static let grace = Duration.seconds(10)

    init(_ log: EventLog, to copy: LogCopy, node: String, logger: Logger) {
        self.log = log
        self.logger = logger
        shipment = LogShipment(of: log, to: copy, node: node) { UUID().uuidString }
    }

    /// Ships until the process stops, and then what was recorded last.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let start = ContinuousClock.now
                switch await self.attempt() {
                // Answers keep half of the processor and of the disk while a backlog drains.
                case .more: try? await Task.sleep(for: .now - start)
                case .done: try? await Task.sleep(for: Self.pause)
                case .failed: try? await Task.sleep(for: Self.pauseAfterFailure)
                }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: Self.grace) }
            group.addTask { while await self.attempt() == .more {} }
            await group.next()
            group.cancelAll()
        }
    }

    private enum Attempt { case more, done, failed }

    private func attempt() async -> Attempt {
        do {
            let hasMore = try await shipment.next(at: SystemClock.now())
            note(nil)
            return hasMore ? .more : .done
        } catch is CancellationError {
            return .failed
        } catch {
            note(error)
            return .failed
        }
    }

    // MARK: State

    /// The last sequence in PostgreSQL; nil while that is unknown.
    var shipped: Int64? { shipment.position?.sequence }

    private func note(_ error: (any Error)?) {
        let before = failure.withLock { failure in
            defer { failure = error }
            return failure
        }
        if let error, before == nil {
            logger.error("the log cannot be shipped; it stays on this node", metadata: ["error": "\(error)"])
        } else if error == nil, before != nil {
            logger.notice("the log is shipped again")
        }
    }

    var check: Health.Check {
        Health.Check("shipping") { [self] in
            guard let failure = failure.withLock({ $0 }) else { return .good("the log is shipped to PostgreSQL") }
            return .degraded("the log is not shipped to PostgreSQL: \(failure)")
        }
    }

    func readings() -> [MetricRegistry.Reading] {
        let isForeign = failure.withLock { $0 } is LogCopy.Refusal
        var readings: [MetricRegistry.Reading] = [.gauge("fingerpost_log_is_foreign", isForeign ? 1 : 0)]
        if let until = shipment.until {
            readings.append(
                .gauge("fingerpost_log_shipped_until_timestamp_seconds", Double(until.milliseconds) / 1_000)
            )
        }
        readings.append(.counter("fingerpost_log_lost_rows_total", Double(shipment.lost)))
        if let last = shipment.lastShipped {
            let unshipped = max(log.knownSequence() - last, 0)
            readings.append(.gauge("fingerpost_log_unshipped_rows", Double(unshipped)))
        }
        return readings
    }
}
