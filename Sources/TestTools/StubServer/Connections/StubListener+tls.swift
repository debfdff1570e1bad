import NIOSSL

extension NIOSSLContext {
    /// TLS 1.2 and 1.3 for HTTP/1.1.
    static func server(_ identity: StubIdentity) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try identity.certificates.map {
                .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}
