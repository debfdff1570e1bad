import AppAssociation
import ArgumentParser
import Foundation
import LinkRouting

struct AssociationBuild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Generate a tenant's association files and list links that they open beyond its table.",
        discussion: """
            EXAMPLES
              fingerpost association build --table config/examples/shop.yaml \\
                --host www.yourappdomain.com
              fingerpost association build --table config/examples/shop.yaml --out public
              fingerpost association build --table config/examples/shop.yaml --over-open

            With --out, both files of each host are written to DIR/HOST/.well-known/. With --over-open, links that a \
            file opens but the table does not are printed as JSON, with one example for each route and reason.
            """
    )

    @ArgumentParser.Option(help: "A tenant file with settings and table; - reads standard input.") var table: String
    @ArgumentParser.Option(help: "Generate files for this host only; required with several hosts and no --out.")
    var host: String?
    @ArgumentParser.Option(help: "ios or android (default: ios; both with --out).") var platform: AssociationPlatform?
    @ArgumentParser.Option(help: "The directory to write to.") var out: String?
    @Flag(help: "List over-open links instead of printing the file.") var overOpen = false

    func run() async throws {
        let router = try OfflineTable(table, now: SystemClock.now()).router
        let hosts = try hosts(of: router)
        if overOpen { return show(overmatches(hosts, router)) }
        guard let out else {
            guard let only = hosts.first, hosts.count == 1 else {
                throw fail(
                    "the tenant has several hosts: \(hosts.joined(separator: ", ")); choose one with --host, or use --out.",
                    .invalidUsage
                )
            }
            show(document: String(decoding: (platform ?? .ios).generated(for: only, router), as: UTF8.self) + "\n")
            return
        }
        try requireFolder(out)
        for host in hosts {
            let folder = URL(filePath: out).appending(path: host).appending(path: ".well-known")
            for platform in platform.map({ [$0] }) ?? AssociationPlatform.allCases {
                let file = folder.appending(path: platform.fileName)
                do {
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    try Data(platform.generated(for: host, router)).write(to: file)
                } catch {
                    throw fail("\(file.relativePath) cannot be written: \(unwritableReason(error))", .ioError)
                }
                let count = platform.overmatches(for: host, router).count
                show("\(file.relativePath): \(count.counted("kind")) of over-open links")
            }
        }
    }

    private func hosts(of router: Router) throws -> [String] {
        var hosts: [String] = []
        for domain in router.identity.domains where domain.port == nil && !hosts.contains(domain.host) {
            hosts.append(domain.host)
        }
        guard !hosts.isEmpty else {
            throw fail(
                "\(table): the settings list no domains; association files need one. Add 'domains'.",
                .unreadableInput
            )
        }
        guard let host else { return hosts }
        guard hosts.contains(host) else {
            throw fail(
                "\(table): '\(host)' is not one of the tenant's hosts: \(hosts.joined(separator: ", ")).",
                .failed
            )
        }
        return [host]
    }

    private func overmatches(_ hosts: [String], _ router: Router) -> JSONNode {
        let platforms = platform.map { [$0] } ?? AssociationPlatform.allCases
        let found = hosts.flatMap { host in
            platforms.flatMap { platform in
                platform.overmatches(for: host, router).map { one in
                    JSONNode.object([
                        "host": .string(host), "platform": .string(platform.rawValue),
                        "app": .string(one.app.rawValue), "route": one.route.map { .string($0.rawValue) },
                        "reason": .string(one.reason.rawValue), "opens": .string(one.reason.explanation),
                        "example": .string(one.example),
                    ])
                }
            }
        }
        return .object(["overOpen": .array(found)])
    }
}
