package import LinkRouting
package import Logging
import Metrics
package import Networking
import ServiceLifecycle

/// The receiver of notifications about finished exports.
package struct Webhook: Sendable {
    let url: String
    let secrets: [WebhookSecret]
    let http: OutboundHTTP

    /// - Parameter http: Its settings determine the allowed addresses and the timeout of a receiver.
    package init(url: String, secrets: [WebhookSecret], http: OutboundHTTP) {
        self.url = url
        self.secrets = secrets
        self.http = http
    }
}

/// Sends the queued webhook deliveries with at-least-once semantics. Each ``WebhookDelivery`` is retried until a 2xx
/// response, for a day at most. It is removed only after the response, so a crash in between sends it again with the
/// same id.
package struct WebhookDispatcher: Service {
    private let queue: any WebhookQueue
    private let webhook: @Sendable () -> Webhook
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let traces: TraceSource
    private let logger: Logger

    /// Delays between attempts in milliseconds: twelve attempts in a day.
    package static let pauses: [Int64] = [
        5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 14_400_000, 14_400_000,
        25_200_000,
    ]
    /// The polling interval, which is the longest delay of a new delivery.
    private static let longestSleep = Duration.seconds(5)
    private static let batch = 100

    /// - Parameter webhook: Called for every attempt, so that its secrets can be replaced.
    package init(
        queue: any WebhookQueue,
        webhook: @autoclosure @escaping @Sendable () -> Webhook,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        traces: TraceSource = TraceSource(),
        logger: Logger
    ) {
        self.queue = queue
        self.webhook = webhook
        self.now = now
        self.sleep = sleep
        self.traces = traces
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await deliverDue()
                    try await sleep(Self.longestSleep)
                } catch is CancellationError {
                    return
                } catch {
                    // The ledger cannot be read or written. The recorder uses the same disk and logs the details.
                    logger.error(
                        "webhook deliveries failed; the ledger cannot be read or written",
                        metadata: ["error": "\(error)"]
                    )
                    guard (try? await sleep(Self.longestSleep)) != nil else { return }
                }
            }
        }
    }

    /// Attempts every due delivery once, up to 100 per call.
    package func deliverDue() async throws {
        for delivery in try await queue.deliveries(dueAt: now(), limit: Self.batch) {
            try Task.checkCancellation()
            try await TraceContext.$current.withValue(traces.root()) { try await deliver(delivery) }
        }
    }

    private func deliver(_ delivery: WebhookDelivery) async throws {
        guard let failure = await send(delivery) else {
            try await queue.complete(delivery)
            Self.count("delivered")
            return
        }
        // An attempt cut off by a shutdown does not count as failed.
        try Task.checkCancellation()
        try await postpone(delivery, because: failure)
    }

    /// Sends the delivery. Returns the reason for a failure; nil if the receiver accepted it.
    private func send(_ delivery: WebhookDelivery) async -> String? {
        let body = Array(delivery.payload.utf8)
        let webhook = webhook()
        do {
            let answer = try await webhook.http.post(
                webhook.url,
                json: body,
                headers: webhook.secrets.headers(id: delivery.id, at: now(), body: body)
            )
            return (200..<300).contains(answer.status) ? nil : "it responded with \(answer.status)"
        } catch {
            return error.reason
        }
    }

    private func postpone(_ delivery: WebhookDelivery, because failure: String) async throws {
        let metadata: Logger.Metadata = [
            "tenant": "\(delivery.tenant)", "webhook.id": "\(delivery.id)", "error": "\(failure)",
        ]
        guard delivery.attempts < Self.pauses.count else {
            try await queue.complete(delivery)
            Self.count("given_up")
            logger.error("a webhook delivery failed and will not be retried", metadata: metadata)
            return
        }
        try await queue.postpone(
            delivery,
            to: Timestamp(milliseconds: now().milliseconds + Self.pauses[delivery.attempts])
        )
        Self.count("failed")
        logger.log(
            level: delivery.attempts == 0 ? .warning : .debug,
            "a webhook delivery failed and will be retried",
            metadata: metadata
        )
    }

    private static func count(_ result: String) {
        Counter(label: "fingerpost_webhook_deliveries_total", dimensions: [("result", result)]).increment()
    }
}
