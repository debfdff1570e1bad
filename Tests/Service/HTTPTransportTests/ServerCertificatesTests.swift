import Foundation
import HTTPTransport
import MetricsTestKit
import Synchronization
import TLSTestSupport
import TestSupport
import Testing

/// Which files the public port starts with, and what a change of them does.
struct ServerCertificatesTests {
    private func refusal(_ files: CertificateFiles) throws -> String {
        do {
            _ = try ServerCertificates.forTest(files)
            return ""
        } catch let failure as CertificateFiles.Failure {
            return failure.description
        }
    }

    /// Returns the number of reloads with a result.
    private func reloads(_ result: String, _ metrics: TestMetrics) throws -> Int64 {
        try metrics.expectCounter("fingerpost_tls_reloads_total", [("result", result)]).totalValue
    }

    @Test func filesThatFitAreTaken() async throws {
        try await withTemporaryDirectory { directory in
            let metrics = TestMetrics()
            let files = try TestAuthority().identity().write(to: directory)
            _ = try ServerCertificates.forTest(files, metrics: metrics)
            let expiry = try metrics.expectMeter("fingerpost_tls_certificate_expiry_timestamp_seconds")
            #expect(try #require(expiry.lastValue) > Date().timeIntervalSince1970)
            #expect(try reloads("failed", metrics) == 0)
        }
    }

    @Test func missingFilesAreNamed() throws {
        let files = CertificateFiles(certificate: "/nonexistent/a.pem", key: "/nonexistent/b.pem")
        #expect(
            try refusal(files)
                == "public.tls.certificate: /nonexistent/a.pem cannot be opened (No such file or directory); write the path of a PEM file that this user may read."
        )
    }

    @Test func keyThatOthersMayReadIsRefused() async throws {
        try await withTemporaryDirectory { directory in
            let files = try TestAuthority().identity().write(to: directory)
            for mode in [0o604, 0o602, 0o620] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: files.key)
                #expect(
                    try refusal(files)
                        == "public.tls.key: \(files.key) can be read or changed by other users; run: chmod 600 \(files.key)"
                )
            }
            // A group may be trusted: Kubernetes gives a pod its secrets so.
            try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: files.key)
            #expect(try refusal(files) == "")
        }
    }

    @Test func foreignKeyIsRefused() async throws {
        try await withTemporaryDirectory { directory in
            let (one, other) = (try TestAuthority().identity(), try TestAuthority().identity())
            let files = try TestAuthority.Identity(certificate: one.certificate, key: other.key).write(to: directory)
            #expect(try refusal(files).contains("does not match the certificate in \(files.certificate)"))
        }
    }

    @Test func expiredAndFutureCertificatesAreRefused() async throws {
        try await withTemporaryDirectory { directory in
            let expired = try TestAuthority().identity(from: -7_200, until: -3_600).write(to: directory)
            #expect(try refusal(expired).contains(" expired at 20"))
            let future = try TestAuthority().identity(from: 3_600, until: 7_200).write(to: directory)
            #expect(try refusal(future).contains("check the machine's clock"))
        }
    }

    @Test(arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func textOtherThanPEMIsRefused(_ text: String) async throws {
        try await withTemporaryDirectory { directory in
            let good = try TestAuthority().identity()
            let wrongCertificate = try TestAuthority.Identity(certificate: text, key: good.key).write(to: directory)
            #expect(try refusal(wrongCertificate).hasPrefix("public.tls.certificate: "))
            let wrongKey = try TestAuthority.Identity(certificate: good.certificate, key: text).write(to: directory)
            #expect(try refusal(wrongKey).hasPrefix("public.tls.key: "))
            #expect(try refusal(wrongKey).split(separator: "\n").count == 1)
        }
    }

    @Test func keyWithAPassphraseIsRefused() async throws {
        try await withTemporaryDirectory { directory in
            let good = try TestAuthority().identity()
            // The frame of such a key; what is in it is never looked at without a passphrase.
            let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGj\n-----END ENCRYPTED PRIVATE KEY-----\n"
            let files = try TestAuthority.Identity(certificate: good.certificate, key: locked).write(to: directory)
            #expect(try refusal(files).contains("not a PEM key without a passphrase"))
        }
    }

    @Test func folderIsNotAFile() async throws {
        try await withTemporaryDirectory { directory in
            let text = try refusal(CertificateFiles(certificate: directory, key: directory))
            #expect(text.contains("is not a file"))
        }
    }

    @Test func reloadUsesMatchingFilesAndKeepsTheOldCertificateOtherwise() async throws {
        try await withTemporaryDirectory { directory in
            let metrics = TestMetrics()
            let authority = try TestAuthority()
            let files = try authority.identity().write(to: directory)
            let certificates = try ServerCertificates.forTest(files, metrics: metrics)
            #expect(try certificates.reload() == .unchanged)

            let next = try authority.identity()
            try Data(next.certificate.utf8).write(to: URL(filePath: files.certificate))
            // Between the writing of the two files.
            #expect(throws: CertificateFiles.Failure.self) { try certificates.reload() }
            _ = try next.write(to: directory)
            #expect(try certificates.reload() == .renewed)
            #expect(try certificates.reload() == .unchanged)

            #expect(try reloads("failed", metrics) == 1)
            #expect(try reloads("ok", metrics) == 1)
        }
    }

    /// The timer checks the files every minute, and loads new ones.
    @Test func changedFilesAreFoundByThemselves() async throws {
        try await withTemporaryDirectory { directory in
            let metrics = TestMetrics()
            let authority = try TestAuthority()
            let files = try authority.identity().write(to: directory)
            let next = try authority.identity()
            let checks = Mutex(0)
            let certificates = try ServerCertificates.forTest(files, metrics: metrics) { pause in
                #expect(pause == .seconds(60))
                let check = checks.withLock { checks in
                    checks += 1
                    return checks
                }
                switch check {
                // Nothing changed; then files that cannot be used, three times; then good ones.
                case 1: break
                case 2: try Data().write(to: URL(filePath: files.key))
                case 3, 4: break
                case 5: _ = try next.write(to: directory)
                default: throw CancellationError()
                }
            }
            try await certificates.run()
            #expect(try reloads("ok", metrics) == 1)
            // The same problem is counted once, although several checks find it.
            #expect(try reloads("failed", metrics) == 1)
        }
    }
}
