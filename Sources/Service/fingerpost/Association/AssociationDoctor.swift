import AppAssociation
import ArgumentParser
import LinkRouting
import NIOCore
import Networking

struct AssociationDoctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Fetch a domain's association files as Apple and Google do, and report problems.",
        discussion: """
            EXAMPLES
              fingerpost association doctor www.acme.com
              fingerpost association doctor '*.acme.com' --server http://127.0.0.1:8080
              fingerpost association doctor www.acme.com --table shop.yaml \\
                --app ABCDE12345.com.acme
              fingerpost association doctor www.acme.com --address 198.51.100.7 --no-cdn \\
                --no-google
              fingerpost association doctor www.acme.internal --allow-private 10.0.0.0/8 \\
                --no-cdn

            Files are fetched over HTTPS with a trusted certificate, within --timeout; redirects are not followed. For \
            *.HOST, the file is read from HOST. A host and its www twin are checked together, because devices treat \
            them as two hosts. With --table or --server, the served file must match the published file. Apple's CDN is \
            queried for the file that devices see, and Google's Digital Asset Links API for the apps that it links to \
            the host; both then know the domain name. Files that assetlinks.json includes are fetched, one level deep.
            With --address you can check a server before DNS points to it; that address may be private. Otherwise a \
            name with a private address is rejected, unless --allow-private includes its range.
            Exit code 1 when there is an error, 0 otherwise.
            """
    )

    @ArgumentParser.Argument(help: "HOST, *.HOST, or HOST:PORT (devices use port 443 only).") var domain: String
    @ArgumentParser.Option(help: "A tenant file; the domain must serve the files generated from it.") var table: String?
    @ArgumentParser.Option(help: "The public address of a Fingerpost server, instead of --table.") var server: String?
    @ArgumentParser.Option(help: "An application identifier (TEAMID.bundle) or package that the file must list.")
    var app: String?
    @ArgumentParser.Option(help: "ios or android (default: the platform of --app, otherwise both).") var platform:
        AssociationPlatform?
    @ArgumentParser.Option(help: "Connect to this address instead of resolving the name.") var address: String?
    @ArgumentParser.Option(help: "A private range that may be contacted, such as 10.0.0.0/8; may be repeated.")
    var allowPrivate: [String] = []
    @ArgumentParser.Option(help: "A PEM file with additional CA certificates to trust; devices do not trust them.")
    var ca: String?
    @ArgumentParser.Option(help: "The response timeout in seconds.") var timeout = 5.0
    @Flag(name: .customLong("no-cdn"), help: "Do not query Apple's CDN.") var skipsCDN = false
    @ArgumentParser.Option(
        help: ArgumentHelp("Query this URL instead of Apple's CDN, also at --address.", visibility: .hidden)
    )
    var cdn: String?
    @Flag(name: .customLong("no-google"), help: "Do not query Google's Digital Asset Links API.") var skipsGoogle =
        false
    @ArgumentParser.Option(
        name: .customLong("google"),
        help: "Query this base URL instead of https://digitalassetlinks.googleapis.com, also at --address."
    )
    var googleBase: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard table == nil || server == nil else { throw ValidationError("Use either --table or --server, not both.") }
        guard timeout > 0, timeout <= 60 else {
            throw ValidationError("--timeout must be above 0 and at most 60 seconds.")
        }
        if let bad = allowPrivate.first(where: { AddressRange($0) == nil }) {
            throw ValidationError("--allow-private '\(bad)' is not a range; write ADDRESS/BITS, such as 10.0.0.0/8.")
        }
        if let address, NetworkAddress(address) == nil {
            throw ValidationError("--address '\(address)' is not an IPv4 or IPv6 address.")
        }
    }

    func run() async throws {
        let target = try DoctorTarget(domain)
        let published = try PublishedFiles(table: table, server: server, now: SystemClock.now())
        var checks: [HostCheck] = []
        for platform in platforms {
            var check = HostCheck(
                target,
                platform,
                app: app,
                http: http(at: address.flatMap(NetworkAddress.init)),
                cdn: appleCDN
            )
            await check.run()
            let expected = try await published?.file(platform, of: target.host)
            if published != nil { check.compare(with: expected) }
            if platform == .android, let google { await check.ask(google, published: expected) }
            checks.append(check)
        }
        let report = AssociationReport(checks.flatMap(\.files))
        if json {
            let answers = checks.flatMap(\.answers).map(\.json)
            show(.object(["answers": .array(answers), "findings": .array(report.findingsJSON)]), .compact)
        } else {
            show(checks.flatMap(\.answers).map(\.text) + report.lines)
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

    private var google: GoogleAPI? {
        if skipsGoogle { return nil }
        if let googleBase {
            return GoogleAPI(base: googleBase, http: http(at: address.flatMap(NetworkAddress.init)))
        }
        return GoogleAPI(base: "https://digitalassetlinks.googleapis.com", http: http(at: nil))
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
