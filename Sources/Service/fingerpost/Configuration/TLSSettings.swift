import HTTPTransport
import LinkServer

/// The keys of `public.tls`, and `public.http2`.
struct TLSSettings {
    /// Nil if the public port uses plain HTTP.
    var files: CertificateFiles?
    var minimumVersion: CertificateFiles.MinimumVersion
    var http2: HTTP2Offer

    /// In the order of config/fingerpost.yaml.
    static let keys = ["public.tls.certificate", "public.tls.key", "public.tls.minimumVersion", "public.http2"]

    init(text: (_ key: String, _ standard: String) -> String) throws {
        func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, _ standard: Choice) throws -> Choice
        {
            let written = text(key, standard.rawValue)
            guard let choice = Choice(rawValue: written) else {
                throw ServiceConfiguration.Invalid(
                    key,
                    "is '\(written)'; write \(Choice.allCases.map(\.rawValue).joined(separator: " or "))."
                )
            }
            return choice
        }
        minimumVersion = try choice("public.tls.minimumVersion", .tls12)
        http2 = try choice("public.http2", .enabled)
        let (certificate, key) = (text("public.tls.certificate", ""), text("public.tls.key", ""))
        guard certificate.isEmpty == key.isEmpty else {
            let (given, missing) = certificate.isEmpty ? ("key", "certificate") : ("certificate", "key")
            throw ServiceConfiguration.Invalid(
                "public.tls.\(given)",
                "is set and public.tls.\(missing) is not; write both, or neither for plain HTTP."
            )
        }
        if !certificate.isEmpty {
            files = CertificateFiles(certificate: certificate, key: key, minimumVersion: minimumVersion)
        }
    }

    /// The values as `fingerpost config` prints them.
    var effective: [String] {
        [files?.certificate ?? "", files?.key ?? "", minimumVersion.rawValue, http2.rawValue]
    }
}
