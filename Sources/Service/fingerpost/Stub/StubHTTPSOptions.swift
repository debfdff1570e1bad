import ArgumentParser
import Foundation
import StubServer

/// The folder of the certificate authority.
struct StubAuthorityOptions: ParsableArguments {
    @Option(help: "The folder of the certificate authority (default: ~/.fingerpost/stub-ca).") var caDir: String?

    /// Reads the authority, or makes one. Says so on standard error.
    func authority() throws -> StubAuthority {
        let folder = caDir ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.fingerpost/stub-ca"
        do throws(StubAuthority.Failure) {
            let (authority, isNew) = try AuthorityFolder(folder).authority(now: Date())
            if isNew { warn("fingerpost: made a certificate authority, \(authority.path)") }
            return authority
        } catch {
            throw fail(error.description, .wrongConfiguration)
        }
    }
}

struct StubHTTPSOptions: ParsableArguments {
    @Option(help: "A second port, with HTTPS; 0 takes any free one.") var httpsPort: Int?
    @Option(
        help: "A further name of the server, in its certificate and for calls of its admin API; may be repeated."
    )
    var httpsName: [String] = []
    @OptionGroup var authority: StubAuthorityOptions

    func validate() throws {
        guard httpsPort.map((0...65_535).contains) ?? true else {
            throw ValidationError("--https-port must be a number from 0 to 65535.")
        }
        guard httpsPort != nil || authority.caDir == nil else {
            throw ValidationError("--ca-dir needs --https-port.")
        }
        for name in httpsName where ServerName(name) == nil {
            throw ValidationError("--https-name must be a host name such as api.example.test, or an address.")
        }
    }

    /// Nil without HTTPS.
    func configuration(for hosts: [ServerName]) throws -> StubConfiguration.HTTPS? {
        guard let httpsPort else { return nil }
        return StubConfiguration.HTTPS(
            port: httpsPort,
            identity: try authority.authority().identity(for: hosts, now: Date())
        )
    }
}
