import AppAssociation
import ArgumentParser
import LinkCatalog
import LinkRouting

struct AssociationDifference: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List links that a new table or association file moves between the app and the browser.",
        discussion: """
            EXAMPLE
              fingerpost association diff live.yaml draft.yaml \\
                --suite config/examples/shop.suite.yaml
              fingerpost association diff old/apple-app-site-association \\
                new/apple-app-site-association --host www.acme.com

            Two tables are compared for the given links. Two association files of one platform are compared for all \
            links; the result has one link for each pair of deciding rules. If one of the two is a table, \
            the file that it generates for --host is compared.

            The exit code is 0 whether or not links move.
            """
    )

    @ArgumentParser.Argument(help: "The live tenant file or association file.") var before: String
    @ArgumentParser.Argument(help: "The tenant file or association file to be published.") var after: String
    @ArgumentParser.Option(help: "A link suite whose links to compare; may be repeated.") var suite: [String] = []
    @ArgumentParser.Option(help: "A link to compare; may be repeated.") var link: [String] = []
    @ArgumentParser.Option(help: "The host of the files (default: www.example.com, or the table's only host).")
    var host: String?
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let files = try [before, after].map { try AssociationSource($0) }
        if files.contains(where: { $0.platform != nil }) { return try compare(files) }
        guard !suite.isEmpty || !link.isEmpty else {
            throw fail("provide links with --suite or --link to compare two tables.", .invalidUsage)
        }
        var links = link
        for path in suite {
            do {
                links += try LinkSuite(try readText(path)).cases.map(\.link)
            } catch let error as DocumentError {
                throw fail("\(path): \(error.description)", .unreadableInput)
            }
        }
        var seen: Set<String> = []
        links = links.filter { seen.insert($0).inserted }
        let now = SystemClock.now()
        let (old, new) = (try OfflineTable(before, now: now).router, try OfflineTable(after, now: now).router)
        for text in link {
            guard let host = (try? DeepLink.parse(text))?.host else { continue }
            try requireHost(host, of: [old, new])
        }
        let diff = AssociationDiff(of: links, from: old, to: new)
        guard !json else { return show(diff.json, .compact) }
        for move in diff.moves {
            show(
                "\(move.link): \(move.app) moves from \(Self.name(move.before, move)) to \(Self.name(move.after, move))"
            )
        }
        show("\(diff.moves.count) of \(diff.evaluatedCount) links move")
    }

    /// Compares two association files, one of which may be generated from a table.
    private func compare(_ sources: [AssociationSource]) throws {
        guard suite.isEmpty, link.isEmpty else {
            throw fail(
                "--suite and --link are for tables; association files are compared for all links.",
                .invalidUsage
            )
        }
        let platforms = Set(sources.compactMap(\.platform))
        guard let platform = platforms.first, platforms.count == 1 else {
            throw fail("\(before) and \(after) are files of different platforms.", .failed)
        }
        let router = try sources.first { $0.platform == nil }.map {
            try OfflineTable($0.path, now: SystemClock.now()).router
        }
        let hosts = router?.identity.domains.map(\.host) ?? []
        guard let host = host ?? (router == nil ? "www.example.com" : hosts.count == 1 ? hosts.first : nil) else {
            throw fail("choose one of the table's hosts with --host: \(hosts.joined(separator: ", ")).", .invalidUsage)
        }
        if let router { try requireHost(host, of: [router]) }
        let bytes = sources.map { source in
            router.flatMap { source.platform == nil ? platform.generated(for: host, $0) : nil } ?? source.bytes
        }
        let diff = try difference(of: bytes, platform, host)
        guard !json else { return show(diff.json, .compact) }
        for one in diff.moves {
            let rules = [one.ruleBefore, one.ruleAfter].map { $0 ?? "no rule" }.joined(separator: " to ")
            show(
                "\(one.move.link): \(one.move.app) moves from \(Self.name(one.move.before, one.move)) to "
                    + "\(Self.name(one.move.after, one.move)) (\(rules))"
            )
        }
        show(
            diff.moves.count.counted("kind") + " of links move"
                + (diff.isComplete ? "" : "; there may be more, because the comparison took too long")
        )
    }

    /// Throws for a host of no table: no link of it could move.
    private func requireHost(_ host: String, of routers: [Router]) throws {
        let hosts = routers.flatMap { $0.identity.domains.map(\.host) }
        guard !hosts.contains(host), routers.allSatisfy({ $0.identity.domain(for: host) == nil }) else { return }
        let advice = hosts.isEmpty ? "add 'domains'" : "write one of: \(Set(hosts).sorted().joined(separator: ", "))"
        throw fail("no table has the host '\(host)'; \(advice).", .invalidUsage)
    }

    private func difference(
        of files: [[UInt8]],
        _ platform: AssociationPlatform,
        _ host: String
    ) throws -> AssociationFileDiff {
        var path = before
        do throws(JSONSyntaxError) {
            switch platform {
            case .ios:
                let old = try AppleAppSiteAssociation(parsing: files[0])
                path = after
                return AssociationFileDiff(from: old, to: try AppleAppSiteAssociation(parsing: files[1]), host: host)
            case .android:
                let old = try AssetLinks(parsing: files[0])
                path = after
                return AssociationFileDiff(from: old, to: try AssetLinks(parsing: files[1]), host: host)
            }
        } catch {
            throw fail("\(path): \(error.description) A device drops the whole file.", .unreadableInput)
        }
    }

    private static func name(_ handler: AssociationDiff.Handler, _ move: AssociationDiff.Move) -> String {
        switch handler {
        case .app: "the app"
        case .browser: move.platform == .ios ? "Safari" : "the browser"
        case .manifest: "the app's manifest"
        }
    }
}

/// An argument that is an association file or a tenant file.
private struct AssociationSource {
    let path: String
    let bytes: [UInt8]
    /// The platform of an association file; nil for a tenant file.
    let platform: AssociationPlatform?

    init(_ path: String) throws {
        self.path = path
        bytes = try readBytes(path)
        let isJSON = ["[", "{"].contains(bytes.first { !" \n\r\t".utf8.contains($0) }.map { String(UnicodeScalar($0)) })
        // A tenant file may be JSON too.
        let file = try? AppleAppSiteAssociation(parsing: bytes)
        let isTenant = ["formatVersion", "settings", "table"].contains { file?.root[$0] != nil }
        let isSigned = !isJSON && file != nil
        let isAssociationFile = AssociationPlatform(named: path) != nil || isJSON || isSigned
        platform = isAssociationFile && !isTenant ? AssociationPlatform(of: bytes, named: path) : nil
    }
}
