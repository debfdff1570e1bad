import ArgumentParser
import Foundation
import StubServer

struct StubCA: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Print the certificate of the authority that signs for HTTPS of stub servers.",
        discussion: """
            EXAMPLES
              fingerpost stub ca > stub-ca.pem
              fingerpost stub ca --format der > stub-ca.cer
              xcrun simctl keychain booted add-root-cert stub-ca.pem

            Makes the authority if there is none. Its key stays in the folder, readable for its owner only. Let \
            simulators and emulators trust it, not the machine: anyone who has the key can impersonate any host.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case pem, der
    }

    @OptionGroup var options: StubAuthorityOptions
    @ArgumentParser.Option(help: "The form of the certificate: pem or der.") var format = Format.pem

    func run() throws {
        let authority = try options.authority()
        switch format {
        case .pem: StandardOutput.write(authority.pem)
        case .der: StandardOutput.write(authority.der)
        }
        try StandardOutput.flush()
    }
}
