import Crypto
package import Foundation
import SwiftASN1
import X509

/// The certificate authority of the stub servers of one user. It signs a certificate at each start of a server with
/// HTTPS; simulators and emulators trust the authority.
package struct StubAuthority: Sendable {
    /// The file of the certificate.
    package let path: String
    /// The certificate as PEM.
    package let pem: String
    /// The certificate as DER.
    package let der: [UInt8]
    let notValidAfter: Date

    private let certificate: Certificate
    private let key: P256.Signing.PrivateKey

    /// Why there is no authority, and what to do.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let years = 10.0
    /// Apple's limit for certificates of servers is 825 days.
    private static let serverDays = 397.0
    private static let day = 86_400.0

    /// Makes an authority. Nothing is written.
    init(new path: String, now: Date) throws {
        key = P256.Signing.PrivateKey()
        let signer = Certificate.PrivateKey(key)
        let identifier = SubjectKeyIdentifier(hash: signer.publicKey)
        // The digits tell the authorities of several machines apart.
        let digits = identifier.keyIdentifier.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let name = try DistinguishedName {
            OrganizationName("Fingerpost stub server")
            CommonName("Fingerpost stub authority \(digits)")
        }
        certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: signer.publicKey,
            notValidBefore: now.addingTimeInterval(-Self.day),
            notValidAfter: now.addingTimeInterval(Self.years * 365 * Self.day),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                identifier
            },
            issuerPrivateKey: signer
        )
        self.path = path
        (pem, der, notValidAfter) = try Self.forms(of: certificate)
    }

    /// Reads an authority.
    ///
    /// - Parameters:
    ///   - pem: The text of the certificate's file.
    ///   - key: The text of the key's file.
    init(path: String, pem: String, key: String, now: Date) throws(Failure) {
        do {
            certificate = try Certificate(pemEncoded: pem)
            self.key = try P256.Signing.PrivateKey(pemRepresentation: key)
            (self.pem, der, notValidAfter) = try Self.forms(of: certificate)
        } catch {
            throw Failure(description: "\(path) or its key is damaged: \(error); \(Self.advice)")
        }
        self.path = path
        guard Certificate.PrivateKey(self.key).publicKey == certificate.publicKey else {
            throw Failure(description: "the key beside \(path) is not its key; \(Self.advice)")
        }
        guard case .isCertificateAuthority? = try? certificate.extensions.basicConstraints else {
            throw Failure(description: "\(path) is not the certificate of an authority; \(Self.advice)")
        }
        guard certificate.notValidAfter > now else {
            throw Failure(description: "\(path) has expired; \(Self.advice)")
        }
    }

    private static let advice =
        "remove its folder, run 'fingerpost stub ca', and let simulators and emulators trust the new certificate"

    private static func forms(of certificate: Certificate) throws -> (pem: String, der: [UInt8], end: Date) {
        let document = try certificate.serializeAsPEM()
        return (document.pemString + "\n", document.derBytes, certificate.notValidAfter)
    }

    var privateKeyPEM: String { key.pemRepresentation + "\n" }

    /// A certificate for a server, which is never written to a file.
    ///
    /// - Parameter names: Host names and addresses.
    package func identity(for names: [ServerName], now: Date) throws -> StubIdentity {
        let own = P256.Signing.PrivateKey()
        let publicKey = Certificate.PrivateKey(own).publicKey
        let issuer = try certificate.extensions.subjectKeyIdentifier
        let leaf = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-Self.day),
            notValidAfter: min(now.addingTimeInterval(Self.serverDays * Self.day), certificate.notValidAfter),
            issuer: certificate.subject,
            subject: try DistinguishedName { CommonName("Fingerpost stub server") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(\.generalName))
                AuthorityKeyIdentifier(keyIdentifier: issuer?.keyIdentifier)
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return StubIdentity(
            certificates: [try leaf.serializeAsPEM().derBytes, der],
            privateKeyPEM: own.pemRepresentation,
            authorityFile: path
        )
    }
}

/// The certificate and key that a server presents to HTTPS clients.
package struct StubIdentity: Sendable {
    /// DER, the server's own certificate first.
    let certificates: [[UInt8]]
    let privateKeyPEM: String
    package let authorityFile: String
}
