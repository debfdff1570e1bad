import Crypto
import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Logging
import NIOCore
import Networking
import TestSupport
import Testing

/// Webhook deliveries for exports, as their receiver sees them.
@Suite(.timeLimit(.minutes(15)))
struct ExportWebhookTests {
    private static let key = Data((0..<32).map { UInt8($0) })

    /// - Parameter timeout: As long as the suite's time limit by default, because hundreds of tests run in parallel.
    private func dispatcher(
        _ bench: ExportBench,
        _ url: String,
        timeout: TimeAmount = .minutes(15),
        reach: OutboundHTTP.Reach = .anywhere
    ) throws -> WebhookDispatcher {
        let secret = try #require(WebhookSecret("whsec_" + Self.key.base64EncodedString()))
        return WebhookDispatcher(
            queue: bench.log.webhookQueue,
            webhook: Webhook(
                url: url,
                secrets: [secret],
                http: OutboundHTTP(timeout: timeout, reach: reach)
            ),
            now: { bench.clock.now },
            sleep: { _ in },
            logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func withReceiver(_ receiver: WebhookReceiver, _ body: (WebhookReceiver) async throws -> Void) async throws
    {
        defer { receiver.stop() }
        try await body(receiver)
    }

    private func advance(_ bench: ExportBench, seconds: Int64) {
        bench.clock.set(Timestamp(milliseconds: bench.clock.now.milliseconds + seconds * 1_000).description)
    }

    @Test func receiverGetsTheManifestSignedOnce() async throws {
        try await withExportBench(hasWebhook: true) { bench in
            try await withReceiver(try WebhookReceiver(.status(204))) { receiver in
                try await bench.record([.sample(1)])
                let manifest = try await bench.exporter.exportNow(bench.plan)
                let dispatcher = try dispatcher(bench, receiver.url)
                try await dispatcher.deliverDue()
                advance(bench, seconds: 86_400)
                try await dispatcher.deliverDue()

                let delivery = try #require(receiver.deliveries.first)
                #expect(receiver.deliveries.count == 1)
                let node = try JSONReader.parse(delivery.body, limits: JSONReader.Limits(maximumBytes: 65_536))
                #expect(node["type"]?.text == "export.ready")
                let stored = try JSONReader.parse(manifest.json, limits: JSONReader.Limits(maximumBytes: 65_536))
                #expect(node["data"] == stored)
                // The signature as any receiver computes it.
                let id = try #require(delivery.headers["webhook-id"])
                let time = try #require(delivery.headers["webhook-timestamp"])
                let code = HMAC<SHA256>.authenticationCode(
                    for: Data("\(id).\(time).".utf8) + Data(delivery.body),
                    using: SymmetricKey(data: Self.key)
                )
                #expect(delivery.headers["webhook-signature"] == "v1," + Data(code).base64EncodedString())
                #expect(time == "\(instant("2026-11-21T10:00:00Z").milliseconds / 1_000)")
            }
        }
    }

    @Test func failuresAreTriedAgainUnderTheSameID() async throws {
        try await withExportBench(hasWebhook: true) { bench in
            try await withReceiver(try WebhookReceiver(.status(500), .silence, .status(301), .status(200))) {
                receiver in
                try await bench.record([.sample(1)])
                _ = try await bench.exporter.exportNow(bench.plan)
                let patient = try dispatcher(bench, receiver.url)
                // The receiver must get the request that it leaves unanswered, however busy the machine is.
                let impatient = try dispatcher(bench, receiver.url, timeout: .seconds(10))
                for pause in [0, 5, 30, 120, 600] {
                    let dispatcher = pause == 5 ? impatient : patient
                    // Not before its due time.
                    advance(bench, seconds: Int64(pause) - 1)
                    if pause > 0 { try await dispatcher.deliverDue() }
                    advance(bench, seconds: 1)
                    try await dispatcher.deliverDue()
                }
                #expect(receiver.deliveries.count == 4)
                #expect(Set(receiver.deliveries.map { $0.headers["webhook-id"] }).count == 1)
                #expect(Set(receiver.deliveries.map(\.body)).count == 1)
                #expect(Set(receiver.deliveries.map { $0.headers["webhook-timestamp"] }).count == 4)
                #expect(try await bench.log.webhookQueue.nextDelivery() == nil)
            }
        }
    }

    @Test func webhookIsAbandonedAfterADay() async throws {
        try await withExportBench(hasWebhook: true) { bench in
            try await withReceiver(try WebhookReceiver(.status(503))) { receiver in
                try await bench.record([.sample(1)])
                _ = try await bench.exporter.exportNow(bench.plan)
                let start = bench.clock.now
                let dispatcher = try dispatcher(bench, receiver.url)
                while let due = try await bench.log.webhookQueue.nextDelivery() {
                    bench.clock.set(max(due, bench.clock.now).description)
                    try await dispatcher.deliverDue()
                }
                let hours = (bench.clock.now.milliseconds - start.milliseconds) / 3_600_000
                #expect((22...24).contains(hours))
                #expect(receiver.deliveries.count == WebhookDispatcher.pauses.count + 1)
            }
        }
    }

    @Test func privateAddressIsNotContacted() async throws {
        try await withExportBench(hasWebhook: true) { bench in
            try await withReceiver(try WebhookReceiver(.status(200))) { receiver in
                try await bench.record([.sample(1)])
                _ = try await bench.exporter.exportNow(bench.plan)
                for host in ["127.0.0.1", "localhost"] {
                    let dispatcher = try dispatcher(
                        bench,
                        "http://\(host):\(receiver.port)/",
                        reach: .publicAddresses(and: [])
                    )
                    try await dispatcher.deliverDue()
                    advance(bench, seconds: 3_600)
                }
                #expect(receiver.deliveries.isEmpty)
                #expect(try await bench.log.webhookQueue.nextDelivery() != nil)
            }
        }
    }

    /// Exporting the same bytes again sends nothing; a new version is announced.
    @Test func everyVersionIsAnnouncedOnce() async throws {
        try await withExportBench(hasWebhook: true) { bench in
            try await withReceiver(try WebhookReceiver(.status(200))) { receiver in
                let install = installID(String(repeating: "a", count: 32))
                var event = Event.sample(1)
                event.install = install
                try await bench.record([event, .sample(2)])
                let manifest = try await bench.exporter.exportNow(bench.plan)
                _ = try await bench.exporter.exportNow(bench.plan)
                let dispatcher = try dispatcher(bench, receiver.url)
                try await dispatcher.deliverDue()
                _ = try await bench.exporter.exportAgain(manifest.name, of: bench.plan.tenant)
                try await dispatcher.deliverDue()
                #expect(receiver.deliveries.count == 1, "an empty window has no file to tell of")
                _ = try await bench.exporter.erase(install: install, of: bench.plan.tenant)
                try await dispatcher.deliverDue()

                #expect(receiver.deliveries.count == 2)
                #expect(Set(receiver.deliveries.map { $0.headers["webhook-id"] }).count == 2)
                let last = String(decoding: receiver.deliveries.last?.body ?? [], as: UTF8.self)
                #expect(last.contains(#""version":2"#) && last.contains(#""erasedRows":1"#))
            }
        }
    }

    /// If the exporter stops at any step, no missing export is announced, and each existing export is announced exactly
    /// once.
    @Test func webhookFollowsTheManifest() async throws {
        for step in 0..<8 {
            let faults = Faults(failAt: step)
            try await withExportBench(hasWebhook: true, faults: faults) { bench in
                try await bench.record([.sample(1)])
                _ = try? await bench.exporter.exportNow(bench.plan)
                let isThere = try bench.files().keys.contains { $0.hasSuffix(".manifest.json") }
                #expect(try await bench.log.webhookQueue.nextDelivery() == nil || isThere, "stopped at step \(step)")
                faults.begin(failAt: nil)
                _ = try await bench.exporter.exportNow(bench.plan)
                let due = try await bench.log.webhookQueue.deliveries(dueAt: bench.clock.now, limit: 10)
                #expect(due.count == 1, "stopped at step \(step)")
                #expect(try await bench.log.webhookQueue.heldDeliveries(limit: 10).isEmpty, "stopped at step \(step)")
            }
        }
    }

    @Test func webhookIsSentOnlyIfConfigured() async throws {
        try await withExportBench { bench in
            try await bench.record([.sample(1)])
            _ = try await bench.exporter.exportNow(bench.plan)
            #expect(try await bench.log.webhookQueue.nextDelivery() == nil)
        }
    }
}
