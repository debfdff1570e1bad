import AppAssociation
import ArgumentParser
import Foundation
import LinkRouting

struct AssociationSimulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Show whether iOS or Android would open a URL in an app, and by which rule.",
        discussion: """
            EXAMPLES
              fingerpost association simulate apple-app-site-association \\
                https://www.acme.com/product/123
              fingerpost association simulate assetlinks.json \\
                https://www.acme.com/product/123 --app com.acme.android --json
              fingerpost association simulate --table config/examples/taxi.yaml \\
                https://farechoice.taxi/legal/terms
              fingerpost association simulate --server http://127.0.0.1:8080 \\
                https://farechoice.taxi/ --platform ios

            Notes point out what Apple or Google do not document. Assumptions list what else must be true on the \
            device. Without --app, the result is for the first app in which the file opens the URL, otherwise for the \
            first app listed, followed by one line for each app of the file (at most 1,000, and fewer \
            of a large file). These lines also follow if the file does not list the app of --app.
            With --manifest and an assetlinks.json file, the manifest must accept the URL too; with --manifest alone, \
            only its intent filters are evaluated.
            With --include, the statements of local files count as those that assetlinks.json includes.
            The exit code is 0 regardless of the decision.
            """
    )

    @ArgumentParser.Argument(
        help: "FILE URL: an association file (- reads standard input) and the URL; only URL with --table or --server."
    )
    var arguments: [String]
    @ArgumentParser.Option(help: "A tenant file; the file generated from it is used.") var table: String?
    @ArgumentParser.Option(help: "The public address of a server; the file that it serves is used.") var server: String?
    @ArgumentParser.Option(help: "An application identifier (TEAMID.bundle) or package.") var app: String?
    @ArgumentParser.Option(help: "The host that serves the file, or *.HOST (default: the URL's host).")
    var domain: String?
    @ArgumentParser.Option(help: "ios or android (default: by the file's name, else by its content).") var platform:
        AssociationPlatform?
    @ArgumentParser.Option(help: "A local copy of a file that assetlinks.json includes; may be repeated.")
    var include: [String] = []
    @ArgumentParser.Option(help: "The app's AndroidManifest.xml, whose intent filters must accept the URL too.")
    var manifest: String?
    @Flag(help: "Print one line of JSON.") var json = false

    func validate() throws {
        guard table == nil || server == nil else { throw ValidationError("Use either --table or --server, not both.") }
        let count = table == nil && server == nil ? 2 : 1
        guard arguments.count == count || manifest != nil && arguments.count == 1 else {
            throw ValidationError(
                count == 2
                    ? "Write the association file and then the URL." : "With --table or --server, write only the URL."
            )
        }
        guard manifest == nil || platform != .ios else {
            throw ValidationError("--manifest is for Android; iOS has no manifest.")
        }
    }

    func run() async throws {
        let url = arguments[arguments.count - 1]
        let filters = try filters()
        if let filters, arguments.count == 1, table == nil, server == nil {
            let node = filters.decision(for: url).json
            return json ? show(node, .compact) : show(ManifestText(node).lines)
        }
        if let link = try? DeepLink.parse(url), link.host == nil {
            throw fail("'\(url)' is not a web link; association files decide only https:// links.", .unreadableInput)
        }
        let bytes = try await file(for: url)
        let included = try included()
        let name = table == nil && server == nil ? arguments[0] : ""
        let node: JSONNode
        switch platform ?? (filters == nil ? AssociationPlatform(of: bytes, named: name) : .android) {
        case .ios:
            do throws(JSONSyntaxError) {
                let file = try AppleAppSiteAssociation(parsing: bytes)
                let decision = file.decision(for: url, app: app, domain: domain)
                let showsApps = app == nil || decision.reason == .appNotListed
                let verdicts = showsApps ? file.verdicts(for: url, domain: domain) : []
                if decision.reason == .appNotListed { note(verdicts) }
                node = decision.json.adding(apps: verdicts)
            } catch {
                throw unreadable(error)
            }
        case .android:
            do throws(JSONSyntaxError) {
                let file = try AssetLinks(parsing: bytes).appending(included)
                let decision = file.decision(for: url, package: app ?? filters?.package, domain: domain)
                let showsApps = app == nil || decision.reason == .appNotListed
                let verdicts = showsApps ? file.verdicts(for: url, domain: domain) : []
                if decision.reason == .appNotListed { note(verdicts) }
                node = decision.json.adding(apps: verdicts).adding(manifest: filters?.decision(for: url))
            } catch {
                throw unreadable(error)
            }
        }
        json
            ? show(node, .compact)
            : show(DecisionText(node).lines + (node["manifest"].map { ManifestText($0).lines } ?? []))
    }

    /// Names the apps of a file that does not list the one that was asked for.
    private func note(_ verdicts: [JSONNode]) {
        guard let app, !verdicts.isEmpty else { return }
        let listed = verdicts.prefix(5).compactMap { $0["app"]?.text }.joined(separator: ", ")
        warn("The file does not list '\(app)': --app takes an application identifier or a package, such as \(listed).")
    }

    private func filters() throws -> AndroidManifest? {
        guard let manifest else { return nil }
        let bytes = try readBytes(manifest)
        // A byte order mark may precede the text.
        guard bytes.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }) == UInt8(ascii: "<") else {
            throw fail("\(manifest) is not an AndroidManifest.xml, which is XML.", .unreadableInput)
        }
        do throws(AndroidManifest.SyntaxError) {
            return try AndroidManifest(parsing: bytes)
        } catch {
            throw fail("\(manifest): \(error.description)", .unreadableInput)
        }
    }

    private func included() throws -> [AssetLinks] {
        try include.map { path in
            let bytes = try readBytes(path)
            do throws(JSONSyntaxError) {
                return try AssetLinks(parsing: bytes)
            } catch {
                throw fail("\(path): \(error.description) Google drops the included file.", .unreadableInput)
            }
        }
    }

    private func unreadable(_ error: JSONSyntaxError) -> CommandFailure {
        fail(
            "\(table ?? server ?? arguments[0]): \(error.description) A device drops the whole file.",
            .unreadableInput
        )
    }

    private func file(for url: String) async throws -> [UInt8] {
        guard let published = try PublishedFiles(table: table, server: server, now: SystemClock.now()) else {
            return try readBytes(arguments[0])
        }
        var name = domain ?? ""
        if name.hasPrefix("*.") { name.removeFirst(2) }
        guard let host = name.isEmpty ? try? DeepLink.parse(url).host : name else {
            throw fail("'\(url)' is not a web link; write https://HOST/PATH.", .unreadableInput)
        }
        guard let file = try await published.file(platform ?? (manifest == nil ? .ios : .android), of: host) else {
            throw fail(
                "\(table ?? server ?? ""): no domain covers '\(host)'.",
                table == nil ? .failed : .unreadableInput
            )
        }
        return file
    }
}

/// Formats the decision of a manifest.
private struct ManifestText {
    let lines: [String]

    init(_ node: JSONNode) {
        let place = node["line"]?.int.map { "line \($0) (\(node["activity"]?.text ?? "an activity"))" } ?? "no filter"
        let headline =
            switch node["decision"]?.text {
            case "match": "manifest: accepts the URL by \(place)"
            case "unverified": "manifest: accepts the URL by \(place), but Android verifies the host by no filter"
            default: "manifest: no intent filter accepts the URL"
            }
        lines = [headline] + (node["notes"]?.elements ?? []).map { "note: \($0.text ?? "")" }
    }
}

/// Formats a decision's JSON for people: the result, its rule, the rules tried, notes and assumptions.
private struct DecisionText {
    private let node: JSONNode

    init(_ node: JSONNode) { self.node = node }

    var lines: [String] {
        var lines = [headline(of: node)]
        if let pointer = node["pointer"]?.text { lines.append("  by \(pointer)") }
        for rule in node["tried"]?.elements ?? [] {
            let failed = (rule["parts"]?.elements ?? []).filter { $0["matches"]?.bool == false }
            guard let part = failed.first else { continue }
            let what = [part["part"]?.text ?? part["kind"]?.text, part["name"]?.text].compactMap(\.self).joined(
                separator: " "
            )
            lines.append(
                "  not \(rule["pointer"]?.text ?? ""): \(what) expected '\(part["expected"]?.text ?? "")', "
                    + "found \(part["found"]?.text.map { "'\($0)'" } ?? "nothing")"
            )
        }
        for note in node["notes"]?.elements ?? [] {
            lines.append("note (\(note["label"]?.text ?? "")): \(note["message"]?.text ?? "")")
        }
        for app in node["apps"]?.elements ?? [] { lines.append("app: \(headline(of: app))") }
        for assumption in node["assumptions"]?.elements ?? [] { lines.append("assumes: \(assumption.text ?? "")") }
        return lines
    }

    private func headline(of node: JSONNode) -> String {
        let app = node["app"]?.text ?? "no app"
        let reason = node["reason"]?.text.map { " (\($0))" } ?? ""
        return switch node["decision"]?.text {
        case "match": "opens in \(app)"
        case "manifest": "the manifest of \(app) decides\(reason)"
        case "exclude": "stays in the browser: excluded for \(app)"
        default: "stays in the browser: \(app)\(reason)"
        }
    }
}
