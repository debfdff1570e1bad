import AppAssociation
import ArgumentParser
import LinkRouting
import NIOCore
import OutboundHTTP

struct AssociationDoctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Fetch the association files of a domain as Apple and Google do, and say what is wrong.",
        discussion: """
            EXAMPLES
              fingerpost association doctor www.acme.com
              fingerpost association doctor '*.acme.com' --server http://127.0.0.1:8080
              fingerpost association doctor www.acme.com --table shop.yaml --app ABCDE12345.com.acme
              fingerpost association doctor www.acme.com --address 198.51.100.7 --no-cdn
              fingerpost association doctor www.acme.internal --allow-private 10.0.0.0/8 --no-cdn

            Over HTTPS with a trusted certificate, without following redirects, within --timeout. The file of *.HOST is read
            from HOST. A host and its www twin are looked at together: a device treats them as two. With --table or --server
            what is served must be what is published. Apple's CDN is asked what devices see; it is told the domain's name.
            With --address a server can be examined before the name points to it; that address may be private. Else a name with
            a private address is refused, unless --allow-private names its range.
            Exit code 1 when there is an error, 0 otherwise.
            """
    )

    @ArgumentParser.Argument(help: "HOST, *.HOST, or HOST:PORT (devices ask port 443 only).") var domain: String
    @ArgumentParser.Option(help: "A tenant file: what it publishes must be what the domain serves.") var table: String?
    @ArgumentParser.Option(help: "The public address of a Fingerpost server, instead of --table.") var server: String?
    @ArgumentParser.Option(help: "An application identifier (TEAMID.bundle) or a package that the file must name.")
    var app: String?
    @ArgumentParser.Option(help: "ios or android; both by default, or the platform of --app.") var platform:
        AssociationPlatform?
    @ArgumentParser.Option(help: "Connect to this address instead of looking the name up.") var address: String?
    @ArgumentParser.Option(help: "A range (10.0.0.0/8) that may be asked although it is private; several times.")
    var allowPrivate: [String] = []
    @ArgumentParser.Option(help: "A PEM file with authorities to trust beside the system's; devices do not know them.")
    var ca: String?
    @ArgumentParser.Option(help: "Seconds that an answer may take.") var timeout = 5.0
    @Flag(name: .customLong("no-cdn"), help: "Do not ask Apple's CDN.") var skipsCDN = false
    @ArgumentParser.Option(
        help: ArgumentHelp("Ask this instead of Apple's CDN, at --address too.", visibility: .hidden)
    )
    var cdn: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard table == nil || server == nil else { throw ValidationError("Name one of --table and --server.") }
        guard timeout > 0, timeout <= 60 else { throw ValidationError("--timeout is 0 to 60 seconds.") }
        if let bad = allowPrivate.first(where: { AddressRange($0) == nil }) {
            throw ValidationError("--allow-private '\(bad)' is no range; write ADDRESS/BITS, such as 10.0.0.0/8.")
        }
        if let address, NetworkAddress(address) == nil {
            throw ValidationError("--address '\(address)' is no IPv4 or IPv6 address.")
        }
    }

    func run() async throws {
        let target = try DoctorTarget(domain)
        let published = try PublishedFiles(table: table, server: server)
        var examinations: [HostCheck] = []
        for platform in platforms {
            var examination = HostCheck(
                target,
                platform,
                app: app,
                http: http(at: address.flatMap(NetworkAddress.init)),
                cdn: appleCDN
            )
            await examination.run()
            if let published {
                examination.compare(with: try await published.file(platform, of: target.host))
            }
            examinations.append(examination)
        }
        let report = AssociationReport(examinations.flatMap(\.files))
        if json {
            let answers = examinations.flatMap(\.answers).map(\.json)
            show(.object(["answers": .array(answers), "findings": .array(report.findingsJSON)]), .compact)
        } else {
            show(examinations.flatMap(\.answers).map(\.text) + report.lines)
        }
        if report.severity == .error { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private var platforms: [AssociationPlatform] {
        if let platform { return [platform] }
        guard let app else { return AssociationPlatform.allCases }
        let prefix = app.prefix { $0 != "." }
        let isApple = prefix.count == 10 && prefix.allSatisfy { ("A"..."Z").contains($0) || ("0"..."9").contains($0) }
        return [isApple ? .ios : .android]
    }

    private var appleCDN: HostCheck.CDN? {
        if skipsCDN { return nil }
        if let cdn { return (cdn, http(at: address.flatMap(NetworkAddress.init))) }
        return ("https://app-site-association.cdn-apple.com/a/v1", http(at: nil))
    }

    private func http(at address: NetworkAddress?) -> OutboundHTTP {
        OutboundHTTP(
            timeout: .milliseconds(Int64(timeout * 1000)),
            maximumBytes: 1 << 20,
            reach: .publicAddresses(and: allowPrivate.compactMap { AddressRange($0) }),
            extraRoots: ca,
            address: address
        )
    }
}

/// The domain that `doctor` examines: `HOST`, `*.HOST` or either with a port.
struct DoctorTarget {
    /// The host that serves the file, in ASCII.
    let host: String
    let port: UInt16?
    let isWildcard: Bool
    /// The host that people take for the same: with `www.` added or removed. Nil if there is none.
    let twin: String?

    init(_ text: String) throws {
        let isWildcard = text.hasPrefix("*.")
        let parts = text.dropFirst(isWildcard ? 2 : 0).split(separator: ":", omittingEmptySubsequences: false)
        let port = parts.count == 2 ? UInt16(parts[1]) : nil
        guard parts.count == 1 || port != nil, let name = try? HostName(parts[0]) else {
            throw fail("'\(text)' is no domain; write www.acme.com, *.acme.com or www.acme.com:8443.", .unreadableInput)
        }
        host = name.ascii
        self.port = port
        self.isWildcard = isWildcard
        let labels = host.split(separator: ".")
        twin =
            if labels.first == "www", !isWildcard {
                labels.dropFirst().joined(separator: ".")
            } else if labels.count == 2 || isWildcard {
                "www.\(host)"
            } else {
                nil
            }
    }
}
