import ArgumentParser
import LinkRouting

struct AssociationFingerprint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fingerprint",
        abstract: "Print the fingerprints of the certificates that sign an Android app.",
        discussion: """
            EXAMPLES
              fingerpost association fingerprint app-release.apk --table shop.yaml
              fingerpost association fingerprint upload.jks
              keytool -exportcert -keystore release.p12 -alias upload |
                fingerpost association fingerprint -

            Reads APKs with a signature of scheme v2 or newer, Java keystores (JKS), and certificates in PEM or DER. The \
            signature itself is not verified. With --table, the fingerprints are compared with those of the Android apps \
            in the settings.
            With Play App Signing, Google signs the app with another key than you do: list the fingerprint that Play \
            Console shows, too.
            Exit code 1 when the private key is published, or no app of the settings lists the certificate.
            """
    )

    @ArgumentParser.Argument(help: "An APK, a keystore or a certificate; - reads standard input.") var file: String
    @ArgumentParser.Option(help: "A tenant file; its Android apps must list the certificate.") var table: String?
    @ArgumentParser.Option(help: "With --table: the id of the app (default: any Android app).") var app: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard app == nil || table != nil else { throw ValidationError("--app needs --table, which lists the apps.") }
    }

    func run() async throws {
        let report = CertificateReport(
            try SigningCertificates(of: file),
            apps: try table.map { try apps(of: $0, .android, named: app) } ?? [],
            table: table ?? ""
        )
        json ? show(report.json) : show(report.lines)
        if !report.isGood { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}

/// Returns the apps of a platform in a tenant file, or the one that is named.
func apps(of table: String, _ platform: Platform, named id: String?) throws -> [RegisteredApp] {
    let all = try OfflineTable(table, now: SystemClock.now()).router.identity.apps.filter { $0.platform == platform }
    let apps = all.filter { id == nil || $0.id.rawValue == id }
    guard apps.isEmpty else { return apps }
    let name = platform == .ios ? "iOS" : "Android"
    throw fail(
        all.isEmpty
            ? "\(table): the settings list no \(name) app; add one under 'apps'."
            : "\(table): there is no \(name) app '\(id ?? "")'; choose one of: \(all.map(\.id.rawValue).joined(separator: ", ")).",
        .failed
    )
}
