@testable import HTTPTransport

extension ConnectionLimits {
    /// The default limits of the public port.
    static let sample = ConnectionLimits(
        uriBytes: 8_192,
        headerBytes: 16_384,
        headerFields: 64,
        headSeconds: 5,
        bodySeconds: 10,
        idleSeconds: 60,
        stalledSeconds: 30,
        proxyHeaderSeconds: 5
    )
}
