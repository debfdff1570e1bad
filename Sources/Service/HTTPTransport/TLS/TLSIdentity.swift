import LinkRouting
import NIOCore
import NIOSSL

/// A certificate chain, valid at the time when it was loaded, and its key. ``context(_:)`` checks that they match.
struct TLSIdentity {
    private let chain: [NIOSSLCertificate]
    private let key: NIOSSLPrivateKey
    private let files: CertificateFiles
    /// When the first certificate of the chain expires.
    let expiry: Timestamp

    init(
        _ contents: CertificateFiles.Contents,
        _ files: CertificateFiles,
        at now: Timestamp
    ) throws(CertificateFiles.Failure) {
        self.files = files
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(contents.chain)
        } catch {
            throw .init(
                certificate: files.certificate,
                "is not a PEM certificate; write the path of the file with the full chain, such as fullchain.pem."
            )
        }
        do {
            key = try NIOSSLPrivateKey(bytes: contents.key, format: .pem)
        } catch {
            throw .init(
                key: files.key,
                "is not a PEM key without a passphrase; write the path of the certificate's key, such as privkey.pem."
            )
        }
        guard let ends = chain.map(\.notValidAfter).min(), let begins = chain.map(\.notValidBefore).max() else {
            throw .init(
                certificate: files.certificate,
                "contains no certificate; write the path of the file with the full chain."
            )
        }
        expiry = Timestamp(milliseconds: Int64(ends) * 1_000)
        guard now < expiry else {
            throw .init(certificate: files.certificate, "expired at \(expiry); renew it.")
        }
        let start = Timestamp(milliseconds: Int64(begins) * 1_000)
        guard start <= now else {
            throw .init(
                certificate: files.certificate,
                "is not valid before \(start), and it is \(now); check the machine's clock."
            )
        }
    }

    /// Returns the TLS context for connections: TLS 1.2 or newer, and for TLS 1.2 only cipher suites with forward
    /// secrecy and authenticated encryption (RFC 9325).
    ///
    /// - Throws: A ``CertificateFiles/Failure`` if the key does not match the certificate.
    func context(_ protocols: [String]) throws(CertificateFiles.Failure) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion =
            switch files.minimumVersion {
            case .tls12: .tlsv12
            case .tls13: .tlsv13
            }
        configuration.cipherSuiteValues = Self.suites
        configuration.applicationProtocols = protocols
        // Limits the wait for the client's close_notify.
        configuration.shutdownTimeout = .seconds(2)
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw .init(
                key: files.key,
                "does not match the certificate in \(files.certificate); write the path of that certificate's key."
            )
        }
    }

    /// Cipher suites of TLS 1.2; the three of TLS 1.3 are always enabled.
    static let suites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]
}
