package import LinkRouting

/// Signing certificates compared with the fingerprints of the settings' Android apps.
package struct CertificateReport {
    private let certificates: [SigningCertificates.Entry]
    private let apps: [RegisteredApp]
    private let table: String

    /// - Parameters:
    ///   - apps: The Android apps to compare with; empty for none.
    ///   - table: The name of the file that lists the apps.
    package init(_ certificates: SigningCertificates, apps: [RegisteredApp], table: String) {
        self.certificates = certificates.entries
        self.apps = apps
        self.table = table
    }

    private struct Certificate {
        let fingerprint: String
        var locations: [String]
        let publishedPrivateKey: String?
    }

    /// One entry per certificate: an APK usually has the same for each scheme.
    private var distinct: [Certificate] {
        certificates.reduce(into: []) { found, entry in
            if let index = found.firstIndex(where: { $0.fingerprint == entry.fingerprint }) {
                found[index].locations.append(entry.location)
            } else {
                found.append(
                    Certificate(
                        fingerprint: entry.fingerprint,
                        locations: [entry.location],
                        publishedPrivateKey: entry.publishedPrivateKey
                    )
                )
            }
        }
    }

    private func isListed(_ fingerprint: String, by app: RegisteredApp) -> Bool {
        guard case .android(_, let fingerprints) = app.product else { return false }
        return fingerprints.contains(fingerprint)
    }

    /// Whether Android would verify one of the apps with each certificate, and no private key is published.
    package var isGood: Bool {
        distinct.allSatisfy { certificate in
            certificate.publishedPrivateKey == nil
                && (apps.isEmpty || apps.contains { isListed(certificate.fingerprint, by: $0) })
        }
    }

    package var lines: [String] {
        var lines: [String] = []
        for certificate in distinct {
            lines.append("\(certificate.fingerprint)  \(certificate.locations.joined(separator: ", "))")
            if let key = certificate.publishedPrivateKey {
                lines.append(
                    "error: this is \(key), whose private key is published: anybody can sign an app that opens your links. "
                        + "Sign with a key of your own."
                )
            }
            let owners = apps.filter { isListed(certificate.fingerprint, by: $0) }
            lines += owners.map { "\(table): the app '\($0.id)' lists it" }
            if !apps.isEmpty, owners.isEmpty {
                let names = apps.map { "'\($0.id)'" }.joined(separator: ", ")
                lines.append(
                    "error: \(table): no fingerprint of \(names) is this one, so Android does not open links in an app "
                        + "with this signature. Add it to 'fingerprints'."
                )
            }
        }
        return lines
    }

    package var json: JSONNode {
        .object([
            "certificates": .array(
                distinct.map { certificate in
                    .object([
                        "sha256": .string(certificate.fingerprint),
                        "places": .array(certificate.locations.map(JSONNode.string)),
                        "publicKey": certificate.publishedPrivateKey.map(JSONNode.string),
                        "apps": .array(
                            apps.filter { isListed(certificate.fingerprint, by: $0) }.map { .string($0.id.rawValue) }
                        ),
                    ])
                }
            )
        ])
    }
}
