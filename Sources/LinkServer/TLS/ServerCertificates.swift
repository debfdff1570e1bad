import Crypto
package import LinkRouting
package import Logging
import Metrics
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The public port's certificate: read at start, and again when its files change. New connections take the new one, and
/// those that are open go on with theirs. Files that cannot be used leave the certificate as it is.
package final class ServerCertificates: Service {
    /// How a reload ended.
    package enum Change: Sendable {
        case renewed, unchanged
    }

    private struct State {
        var context: NIOSSLContext
        var digests: [SHA256Digest]
        var expiry: Timestamp
        /// What was wrong with the files when they were last looked at.
        var complaint: CertificateFiles.Failure?
    }

    /// How often the files are looked at.
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
    ///   - http2: Whether clients are offered HTTP/2 beside HTTP/1.1.
    ///   - sleep: Waits between two looks at the files.
    /// - Throws: A ``CertificateFiles/Failure`` when the files cannot be used.
    package init(
        _ files: CertificateFiles,
        http2: HTTP2Offer,
        metrics: MetricRegistry,
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
        state = Mutex(State(context: context, digests: contents.digests, expiry: identity.expiry))
        expiry = Meter(label: "fingerpost_tls_certificate_expiry_timestamp_seconds", factory: metrics)
        expiry.set(identity.expiry.milliseconds / 1_000)
        // Known at 0 from the start: a rate sees the first failure only of a counter that was there before.
        func counter(_ result: String) -> Counter {
            Counter(label: "fingerpost_tls_reloads_total", dimensions: [("result", result)], factory: metrics)
        }
        (renewed, failed) = (counter("ok"), counter("failed"))
    }

    /// For a connection that begins.
    var context: NIOSSLContext { state.withLock(\.context) }

    /// Looks at the files every minute until the service shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await self.sleep(Self.interval)
                } catch {
                    return
                }
                self.look()
            }
        }
    }

    /// Takes the files as they are now; after a failure what was in use goes on, and the failure is counted.
    package func reload() throws(CertificateFiles.Failure) -> Change {
        do throws(CertificateFiles.Failure) {
            return try takeFiles()
        } catch {
            failed.increment()
            state.withLock { $0.complaint = error }
            throw error
        }
    }

    private func takeFiles() throws(CertificateFiles.Failure) -> Change {
        let contents = try files.read()
        guard state.withLock(\.digests) != contents.digests else {
            state.withLock { $0.complaint = nil }
            return .unchanged
        }
        let identity = try TLSIdentity(contents, files, at: now())
        let context = try identity.context(protocols)
        state.withLock { $0 = State(context: context, digests: contents.digests, expiry: identity.expiry) }
        expiry.set(identity.expiry.milliseconds / 1_000)
        renewed.increment()
        return .renewed
    }

    /// What is wrong is counted and said once, not at every look.
    private func look() {
        do throws(CertificateFiles.Failure) {
            if try takeFiles() == .renewed {
                logger.notice("certificate renewed", metadata: ["tls.expiry": "\(state.withLock(\.expiry))"])
            }
        } catch {
            let isKnown = state.withLock { state in
                defer { state.complaint = error }
                return state.complaint == error
            }
            guard !isKnown else { return }
            failed.increment()
            logger.error("certificate not renewed; the old one stays", metadata: ["error": "\(error)"])
        }
    }
}

/// Which versions of HTTP a client is offered.
package enum HTTP2Offer: String, Sendable, CaseIterable {
    case enabled, disabled

    /// The names of ALPN, the preferred first.
    var protocols: [String] {
        switch self {
        case .enabled: ["h2", "http/1.1"]
        case .disabled: ["http/1.1"]
        }
    }
}
