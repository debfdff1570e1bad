package import LinkRouting
package import LinkServer
import Networking

/// Creates links from the rows of a file, many with one request, and counts what becomes of them.
package struct LinkImport {
    private static let linksOfRequest = 2_000
    private static let bytesOfRequest = 4 << 20
    private static let shownFailures = 20
    private static let shownHosts = 5

    private let tenant: String
    /// Nil to check the rows without creating links.
    private let client: AdminClient?
    private let origin: LinkField.Origin?
    private let urls: ShortLinkURLs?
    private let report: (ImportFailure) throws -> Void
    private var rows: LinkRows
    private var batch = Batch()
    /// The request that the server answers while the next rows are read.
    private var sent: (lines: [Int], answer: Task<AdminClient.Response, any Error>)?

    private struct Batch {
        var lines: [Int] = []
        var body: [UInt8] = []
    }

    package private(set) var created = 0
    /// The links that the tenant had already, with the same code and target.
    package private(set) var existing = 0
    package private(set) var failed = 0
    /// The first failures.
    package private(set) var failures: [ImportFailure] = []
    private var checked = 0
    /// The rows of a check that an earlier row of the file makes needless.
    private var repeated = 0
    private var known: KnownLinks
    /// The short links to which no live route leads, and their hosts. Without the live routes, those with a host.
    private var unreached = Samples()
    private var hosts: [String] = []
    private var hasUnreachedSlash = false

    /// - Parameters:
    ///   - client: Nil to check the rows without creating links.
    ///   - named: The headers that the user chose.
    ///   - urls: Where the live table follows short links; nil if that is not known.
    ///   - known: The links of the tenant, for a check.
    ///   - report: Is called with each failure, also with those that `failures` does not keep.
    package init(
        of tenant: String,
        client: AdminClient?,
        named: [LinkField: String] = [:],
        origin: LinkField.Origin? = nil,
        urls: ShortLinkURLs? = nil,
        known: KnownLinks = KnownLinks(),
        report: @escaping (ImportFailure) throws -> Void = { _ in }
    ) {
        self.tenant = tenant
        self.client = client
        self.origin = origin
        self.urls = urls
        self.known = known
        self.report = report
        rows = LinkRows(named: named, origin: origin, urls: urls)
    }

    /// Imports the rows that end in the next part of the file.
    package mutating func read(_ part: [UInt8]) async throws {
        let rows = try readingLinks { () throws(UnreadableLinks) in try self.rows.rows(of: part) }
        try await add(rows)
    }

    /// Imports the last rows.
    package mutating func end() async throws {
        let rows = try readingLinks { () throws(UnreadableLinks) in try self.rows.lastRows() }
        try await add(rows)
        try await send()
        try await countAnswer()
    }

    private mutating func add(_ rows: [LinkRows.Row]) async throws {
        for row in rows {
            switch row {
            case .success(let link):
                note(link)
                guard client != nil else {
                    try check(link)
                    continue
                }
                batch.lines.append(link.line)
                batch.body += (link.json.json() + "\n").utf8
                if batch.lines.count == Self.linksOfRequest || batch.body.count >= Self.bytesOfRequest {
                    try await send()
                }
            case .failure(let failure): try add(failure)
            }
        }
    }

    private mutating func note(_ link: ImportedLink) {
        guard let address = link.address, urls == nil ? address.host != nil : urls?.code(at: address) == nil else {
            return
        }
        unreached.add(address.text)
        if let host = address.host, !hosts.contains(host), hosts.count < Self.shownHosts { hosts.append(host) }
        if address.path.contains("/") { hasUnreachedSlash = true }
    }

    private mutating func check(_ link: ImportedLink) throws {
        switch known.add(link.json) {
        case nil: checked += 1
        case .server?: existing += 1
        case .file?: repeated += 1
        case .taken?:
            let code = link.json["code"]?.text ?? ""
            let reason = "the code '\(code)' belongs to a link with another target, of the tenant or of an earlier row."
            try add(ImportFailure(line: link.line, column: nil, reason: reason))
        }
    }

    private mutating func add(_ failure: ImportFailure) throws {
        failed += 1
        if failures.count < Self.shownFailures { failures.append(failure) }
        try report(failure)
    }

    private mutating func send() async throws {
        guard let client, !batch.lines.isEmpty else { return }
        try await countAnswer()
        let body = batch.body
        let answer = Task { [tenant] in
            try await client.send(
                .post,
                "tenants/\(tenant)/short-links",
                headers: [("Content-Type", "application/x-ndjson")],
                body: body
            )
        }
        sent = (batch.lines, answer)
        batch = Batch()
    }

    /// Waits for the answer to the last request, and counts what became of its lines.
    private mutating func countAnswer() async throws {
        guard let (lines, request) = sent else { return }
        sent = nil
        let answer = try await request.value
        let results = answer.bytes.split(separator: UInt8(ascii: "\n"))
        guard results.count == lines.count else {
            let counts = "\(results.count.counted("result")) for \(lines.count.counted("link"))"
            throw fail("the server answered with \(counts); update this program or the server.", .failed)
        }
        for (line, bytes) in zip(lines, results) {
            let result = try? JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 20))
            switch result?["status"]?.text {
            case "created"?: created += 1
            case "exists"?, "reused"?: existing += 1
            default:
                let reason = result?["error"]?["message"]?.text ?? "the server gives no reason."
                try add(ImportFailure(line: line, column: nil, reason: reason))
            }
        }
    }

    // MARK: Text

    /// What became of the rows, what is lost, and what to do next.
    package var lines: [String] {
        let known =
            (existing > 0 ? ", \(existing) exist already" : "")
            + (repeated > 0 ? ", \(repeated.counted("row")) repeated" : "")
        let counts =
            client == nil
            ? "\(checked.counted("link")) can be imported\(known), \(failed) cannot; nothing was stored"
            : "\(created) created, \(existing) existed already, \(failed) failed"
        let lost = rows.lost.lines
        return [counts] + (lost.isEmpty ? [] : ["These columns are not imported:"] + lost.map { "  \($0)" }) + advice
    }

    /// The counts so far.
    package var progress: String {
        client == nil ? checked.counted("link") : "\(created) created, \(existing) existing, \(failed) failed"
    }

    package var json: JSONNode {
        .object([
            "created": .int(created), "existing": .int(existing), "checked": .int(checked), "repeated": .int(repeated),
            "failed": .int(failed),
            "failures": .array(
                failures.map {
                    JSONNode.object([
                        "line": .int($0.line), "column": $0.column.map(JSONNode.string), "reason": .string($0.reason),
                    ])
                }
            ),
            "lost": rows.lost.json, "unreached": JSONNode(.object(unreached.json)),
        ])
    }

    /// The first failures, and the number of the others.
    package var failureLines: [String] {
        let others = failed - failures.count
        return failures.map { "  \($0.text)" }
            + (others > 0 ? ["  … and \(others) more; --errors FILE writes all"] : [])
    }

    /// What the tenant's file needs so that the links work as they were printed.
    private var advice: [String] {
        var lines: [String] = []
        if unreached.rows > 0 {
            let gone = hosts.filter { $0.hasSuffix(".page.link") }
            let own = hosts.filter { host in !gone.contains(host) && urls?.areOn(host) != true }
            let path = hasUnreachedSlash ? "/{code...}" : "/{code}"
            lines.append(
                urls == nil
                    ? "The links work once the tenant's file has this, and is applied:"
                    : "No live route leads to \(unreached.counted("link")). This is missing in the tenant's file:"
            )
            let missing = own.isEmpty && !gone.isEmpty ? ["YOUR-HOST"] : own
            lines += missing.map { "  settings.domains: - {host: \($0)}" }
            lines.append("  table.routes: - {id: links, path: \"\(path)\", follow: shortLinks}")
            if origin == .firebase {
                lines.append(
                    "  table.routes: - {id: long-links, path: /, query: {link: string}, follow: \"{link}\"}, for links with ?link="
                )
            }
            if !gone.isEmpty {
                lines.append(
                    "Nobody can serve \(gone.joined(separator: ", ")) any more; use the codes on a host of your own."
                )
            }
        }
        if rows.lost.hasFallbacks {
            lines.append(
                "Fallback links are lost: the route of the target decides with 'web' and 'store' where a link leads without "
                    + "the app. See docs/migrate-firebase.md."
            )
        }
        return lines
    }
}

/// Returns the rows of a file; throws the failure of the command if the file cannot be read.
private func readingLinks(_ rows: () throws(UnreadableLinks) -> [LinkRows.Row]) throws -> [LinkRows.Row] {
    do throws(UnreadableLinks) {
        return try rows()
    } catch .noColumn(let field, let headers) {
        throw fail(
            "the file has no known column for the \(field.rawValue); name it with --columns "
                + "\(field.rawValue)=COLUMN. The file has \(headers.quoted).",
            .unreadableInput
        )
    } catch {
        throw fail(error.reason, .unreadableInput)
    }
}

extension LostColumns {
    /// Whether a column of Firebase's fallback links is among them.
    fileprivate var hasFallbacks: Bool {
        columns.contains {
            let name = LinkField.name(of: $0)
            return name.contains("fallback") || ["afl", "ifl", "ipfl", "ofl"].contains(name)
        }
    }
}
