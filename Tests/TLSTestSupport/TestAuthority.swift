package import CoreMetrics
import Crypto
package import Foundation
package import HTTPTransport
import LinkRouting
import Logging
package import NIOSSL
import SwiftASN1
import X509

/// A private certificate authority, which signs certificates for 127.0.0.1 and localhost.
package struct TestAuthority: Sendable {
    private let key = P256.Signing.PrivateKey()
    private let name: DistinguishedName
    private let certificate: Certificate

    package init() throws {
        name = try DistinguishedName { CommonName("Fingerpost test authority \(UUID().uuidString)") }
        certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: Certificate.PrivateKey(key).publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -86_400),
            notValidAfter: Date(timeIntervalSinceNow: 10 * 86_400),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
    }

    package struct Identity: Sendable {
        package let certificate: String
        package let key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Returns a certificate that is valid from one number of seconds from now to another.
    package func identity(from begin: TimeInterval = -3_600, until end: TimeInterval = 86_400) throws -> Identity {
        let own = P256.Signing.PrivateKey()
        let leaf = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: Certificate.PrivateKey(own).publicKey,
            notValidBefore: Date(timeIntervalSinceNow: begin),
            notValidAfter: Date(timeIntervalSinceNow: end),
            issuer: name,
            subject: try DistinguishedName { CommonName("localhost") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                SubjectAlternativeNames([.dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1]))])
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return Identity(certificate: try leaf.serializeAsPEM().pemString, key: own.pemRepresentation)
    }

    /// Returns the configuration of a client that trusts only this authority.
    package func client() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: Array(certificate.serializeAsPEM().pemString.utf8), format: .pem)
        ])
        return configuration
    }
}

extension TestAuthority.Identity {
    /// Writes both files into a directory, as a renewal does.
    package func write(to directory: String) throws -> CertificateFiles {
        let files = CertificateFiles(certificate: directory + "/fullchain.pem", key: directory + "/privkey.pem")
        try certificate.write(toFile: files.certificate, atomically: true, encoding: .utf8)
        try key.write(toFile: files.key, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.key)
        return files
    }
}

extension ServerCertificates {
    /// Loads the files with the clock of the machine, which the certificates of a test refer to.
    package static func forTest(
        _ files: CertificateFiles,
        http2: HTTP2Offer = .enabled,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in throw CancellationError() }
    ) throws -> ServerCertificates {
        try ServerCertificates(
            files,
            http2: http2,
            metrics: metrics,
            now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) },
            sleep: sleep,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }
}
