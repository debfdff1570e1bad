import Crypto
package import LinkRouting
package import Logging
package import Metrics
package import NIOSSL
import ServiceLifecycle
import Synchronization

/// The public port's certificate, loaded at start and reloaded when its files change. New connections use the new one,
/// and open connections keep theirs. If the files cannot be used, the current certificate stays.
package final class ServerCertificates: Service {
    /// The result of a reload.
    package enum ReloadResult: Sendable {
        case renewed, unchanged
    }

    private struct State {
        var context: NIOSSLContext
        var digests: [SHA256Digest]
        /// The failure at the last check of the files; nil if there was none.
        var complaint: CertificateFiles.Failure?
    }

    /// Interval between two checks of the files.
    static let interval = Duration.seconds(60)

    private let files: CertificateFiles
    private let protocols: [String]
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger
    private let state: Mutex<State>

    private let expiry: Meter
    private let renewed: Counter
    private let failed: Counter

    /// - Parameters:
    ///   - http2: Whether clients are offered HTTP/2 besides HTTP/1.1.
    ///   - sleep: Waits between two checks of the files.
    /// - Throws: A ``CertificateFiles/Failure`` if the files cannot be used.
    package init(
        _ files: CertificateFiles,
        http2: HTTP2Offer,
        metrics: any MetricsFactory,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        logger: Logger
    ) throws {
        self.files = files
        self.protocols = http2.protocols
        self.now = now
        self.sleep = sleep
        self.logger = logger
        let contents = try files.read()
        let identity = try TLSIdentity(contents, files, at: now())
        let context = try identity.context(protocols)
        state = Mutex(State(context: context, digests: contents.digests))
        expiry = Meter(label: "fingerpost_tls_certificate_expiry_timestamp_seconds", factory: metrics)
        expiry.set(identity.expiry.milliseconds / 1_000)
        // Both are exported at 0 from the start: `rate()` does not see the first increment of a counter that was not
        // there.
        func counter(_ result: String) -> Counter {
            Counter(label: "fingerpost_tls_reloads_total", dimensions: [("result", result)], factory: metrics)
        }
        (renewed, failed) = (counter("ok"), counter("failed"))
    }

    /// The TLS context for new connections.
    package var context: NIOSSLContext { state.withLock(\.context) }

    /// Checks the files every minute until the service shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await self.sleep(Self.interval)
                } catch {
                    return
                }
                self.checkFiles()
            }
        }
    }

    /// Loads the files as they are now. If they cannot be used, counts the failure and keeps the current certificate.
    ///
    /// - Throws: A ``CertificateFiles/Failure`` if the files cannot be used.
    package func reload() throws(CertificateFiles.Failure) -> ReloadResult {
        do throws(CertificateFiles.Failure) {
            return try takeFiles()
        } catch {
            failed.increment()
            state.withLock { $0.complaint = error }
            throw error
        }
    }

    private func takeFiles() throws(CertificateFiles.Failure) -> ReloadResult {
        let contents = try files.read()
        guard state.withLock(\.digests) != contents.digests else {
            state.withLock { $0.complaint = nil }
            return .unchanged
        }
        let identity = try TLSIdentity(contents, files, at: now())
        let context = try identity.context(protocols)
        state.withLock { $0 = State(context: context, digests: contents.digests) }
        expiry.set(identity.expiry.milliseconds / 1_000)
        renewed.increment()
        logger.notice("certificate renewed", metadata: ["tls.expiry": "\(identity.expiry)"])
        return .renewed
    }

    /// Checks the files. The same problem is counted and logged once, not at every check.
    private func checkFiles() {
        do throws(CertificateFiles.Failure) {
            _ = try takeFiles()
        } catch {
            let isKnown = state.withLock { state in
                defer { state.complaint = error }
                return state.complaint == error
            }
            guard !isKnown else { return }
            failed.increment()
            logger.error("certificate not renewed; the old one stays in use", metadata: ["error": "\(error)"])
        }
    }
}

/// Whether clients are offered HTTP/2 besides HTTP/1.1.
package enum HTTP2Offer: String, Sendable, CaseIterable {
    case enabled, disabled

    /// The protocol names for ALPN, the preferred one first.
    var protocols: [String] {
        switch self {
        case .enabled: ["h2", "http/1.1"]
        case .disabled: ["http/1.1"]
        }
    }
}
