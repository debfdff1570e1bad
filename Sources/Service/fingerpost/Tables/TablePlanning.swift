import Foundation
import HTTPTransport
import LinkCatalog
package import LinkRouting
import LinkServer
import Networking

/// Compares a tenant's file with a server, and applies it to the server.
package struct TablePlanning: Sendable {
    package let file: TableFile
    package let client: AdminClient
    /// The suites to store once the table is live.
    package var suites: [(name: String, text: String)] = []
    /// The time of cases whose context names none.
    private let now: Timestamp

    private var tenant: String { "tenants/\(file.tenant)" }

    package init(
        file: TableFile,
        client: AdminClient,
        suites: [(name: String, text: String)] = [],
        now: Timestamp
    ) {
        self.file = file
        self.client = client
        self.suites = suites
        self.now = now
    }

    /// The server's plan for the file.
    package struct Plan: Sendable {
        package let body: JSONNode
        /// The ETag of the live table; nil for a new tenant.
        package let live: String?
        /// The revision of the settings; nil for a new tenant.
        package let settingsRevision: Int64?
        /// The ids of the owner's routes, for a file that is limited to an owner; nil otherwise.
        private let ownRoutes: Set<String>?

        package init(body: JSONNode, live: String?, settingsRevision: Int64?, ownRoutes: Set<String>? = nil) {
            self.body = body
            self.live = live
            self.settingsRevision = settingsRevision
            self.ownRoutes = ownRoutes
        }

        package var changesSettings: Bool { !(body["settings"]?.elements ?? []).isEmpty }
        package var changesTable: Bool { !(body["changes"]?["words"]?.elements ?? []).isEmpty }
        package var isEmpty: Bool { !changesSettings && !changesTable }
        /// The changes that the server makes only if the request accepts them; nil for none.
        package var unasked: JSONNode? { body["undoes"] ?? body["removesOthers"] }
        package var isRefused: Bool { !isReady() }

        /// Whether the server would make it live.
        ///
        /// - Parameters:
        ///   - reason: Why failing suites are overridden; nil if they are not.
        ///   - isAccepting: Whether the request accepts the ``unasked`` changes.
        package func isReady(override reason: String? = nil, isAccepting: Bool = false) -> Bool {
            errors.isEmpty && (suiteFailures.isEmpty || reason != nil) && (unasked == nil || isAccepting)
        }

        /// Why the server would reject the file, and what to do; nil if it would not.
        ///
        /// - Parameters:
        ///   - path: The file.
        ///   - suites: The names of the suites that are stored with it.
        ///   - tense: What a rejection means for the server.
        package func rejection(of path: String, with suites: [String], _ tense: Tense) -> String? {
            guard errors.isEmpty else {
                return "The file has errors, so \(tense.rawValue): 'fingerpost check \(path)' shows their lines."
            }
            if let owners = body["removesOthers"]?["removed"]?.elements?.map({ $0["owner"]?.text }) {
                let names = Set(owners.map { $0 ?? "without an owner" }).sorted().joined(separator: ", ")
                return
                    "The file would remove all routes of others (\(names)) and has none of them, so \(tense.rawValue): add "
                    + "them, or use --remove-others."
            }
            let failing = Set(suiteFailures.compactMap { $0["suite"]?.text })
            guard !failing.isEmpty else { return nil }
            let subject = failing.isSubset(of: suites) ? "A suite" : "A stored suite"
            return "\(subject) fails, so \(tense.rawValue): fix the table, change the suite (--suite FILE), or publish "
                + "nevertheless with --override REASON."
        }

        package enum Tense: String, Sendable {
            case would = "it would be rejected"
            case was = "nothing was changed"
        }

        package var suiteFailures: [JSONNode] { body["suiteFailures"]?.elements ?? [] }
        private var errors: [JSONNode] { findings.filter { $0["severity"]?.text == "error" } }
        private var findings: [JSONNode] { body["findings"]?.elements ?? [] }

        /// The findings; for a file that is limited to an owner, those about the table, about the owner's routes, and
        /// all errors, because they reject the file.
        private var findingLines: [String] {
            guard let ownRoutes else { return FindingLines(findings).lines }
            let shown = findings.filter { finding in
                let routes = [finding["route"], finding["relatedRoute"]].compactMap { $0?.text }
                return routes.isEmpty || !ownRoutes.isDisjoint(with: routes) || finding["severity"]?.text == "error"
            }
            let hidden = findings.count - shown.count
            let note = "not shown: \(hidden.counted("finding")) about routes of others; --json lists all findings"
            return FindingLines(shown).lines + (hidden > 0 ? [note] : [])
        }

        /// The maximum number of moved links shown; --json shows all of them.
        private static let shown = 20

        /// A value of the settings as JSON, shortened; --json shows it whole.
        private static func shown(_ value: JSONNode?) -> String {
            value?.json().shortened(toBytes: 200) ?? "nothing"
        }

        /// The plan as text for people.
        package var lines: [String] {
            var lines: [String] = []
            if settingsRevision == nil { lines.append("the tenant is new") }
            for field in body["settings"]?.elements ?? [] {
                let (before, after) = (Self.shown(field["before"]), Self.shown(field["after"]))
                lines.append("settings: \(field["path"]?.text ?? "") changes from \(before) to \(after)")
            }
            lines += ChangeLines(body["changes"]).lines
            lines += findingLines
            lines += SuiteFailureLines(suiteFailures).lines
            let moves = body["moves"]?.elements ?? []
            for move in moves.prefix(Self.shown) {
                lines.append(
                    "\(move["link"]?.text ?? ""): \(move["app"]?.text ?? "") moves from "
                        + "\(move["before"]?.text ?? "") to \(move["after"]?.text ?? "")"
                )
            }
            if moves.count > Self.shown { lines.append("… and \(moves.count - Self.shown) more links that move") }
            if isEmpty { lines.append("nothing would change") }
            return lines
        }
    }

    package func plan() async throws -> Plan {
        do {
            let settings = try await client.send(.get, "\(tenant)/settings")
            let plan = try await client.send(.post, "\(tenant)/draft/plan", json: file.planRequest(suites))
            return Plan(
                body: plan.body,
                live: plan.eTag,
                settingsRevision: settings.eTag.flatMap { Int64($0) },
                ownRoutes: file.ownRoutes
            )
        } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_tenant" {
            return try newTenant()
        } catch let refusal as AdminClient.Refusal where refusal.code == "invalid_settings" {
            // The server names places in the request, which nobody wrote.
            if let failure = file.failureOfSettings { throw failure }
            throw refusal
        }
    }

    /// Plans for a tenant that the server does not know. The plan can be computed locally.
    private func newTenant() throws -> Plan {
        let (newSettings, table, found) = try TenantDocument(
            JSONNode.object([
                "formatVersion": .int(1), "settings": file.settings ?? .object([:]), "table": file.table,
            ]).json()
        ).checked()
        var writer = JSONWriter()
        writer.findings(found)
        let findings = try JSONReader.parse(writer.bytes, limits: JSONReader.Limits(maximumBytes: 64 << 20))
        let diff = TableDiff(from: .object([:]), to: file.table ?? .object([:]))
        let settings = (file.settings?.members ?? []).map { member in
            JSONNode.object(["path": .string(member.key), "after": member.value])
        }
        var failures: [SuiteFailure] = []
        if let newSettings, let table {
            failures = try self.failures(
                against: PublishedTable(
                    tenant: file.tenant,
                    environment: client.environment.flatMap(EnvironmentID.init) ?? .production,
                    revision: nil,
                    settingsRevision: 0,
                    settings: newSettings,
                    table: table
                )
            )
        }
        return Plan(
            body: .object([
                "live": .null, "settings": .array(settings), "changes": diff.json, "findings": findings,
                "suiteFailures": .array(failures.map(\.json)), "moves": .array([]),
            ]),
            live: nil,
            settingsRevision: nil
        )
    }

    /// Runs the suites against a table that no server has yet.
    private func failures(against table: PublishedTable) throws -> [SuiteFailure] {
        try suites.flatMap { name, text -> [SuiteFailure] in
            do {
                guard var suite = try LinkSuite(text).limited(to: table.environment) else { return [] }
                suite.name = name
                return suite.run(against: table, at: now)
            } catch let error as DocumentError {
                throw fail("\(name): \(error.description)", .unreadableInput)
            }
        }
    }

    /// Applies settings, table and suites together. If the server refuses one of them, nothing is changed. Returns the
    /// server's answer, which has the new `revision` if the table has changed.
    package func apply(_ plan: Plan, _ note: JSONNode) async throws -> JSONNode {
        // Keeps what others publish from here on: only the file's changes since its base are applied.
        let base = file.basedOn ?? plan.live.flatMap { Int64($0) } ?? 0
        let members = [
            JSONNode.Member("basedOn", .int(base)), file.settings.map { JSONNode.Member("settings", $0) },
            plan.settingsRevision == nil && file.settings == nil
                ? JSONNode.Member("settings", .object([:])) : nil,
            file.table.map { JSONNode.Member("table", $0) },
            JSONNode.Member(
                "suites",
                JSONNode(.object(suites.map { JSONNode.Member($0.name, .string($0.text)) }))
            ),
        ]
        let settingsRevision = plan.settingsRevision.map { file.settingsBasedOn ?? $0 } ?? 0
        var client = client
        // The scope admin includes all others.
        if plan.settingsRevision == nil {
            client.needs = KeyNeeds([.admin], tenant: .isNew)
        } else if plan.changesSettings {
            client.needs = KeyNeeds([.admin])
        }
        return try await client.send(
            .post,
            "\(tenant)/apply",
            ifMatch: file.settings == nil ? nil : "\(settingsRevision)",
            json: JSONNode(.object(members.compactMap(\.self) + (note.members ?? [])))
        ).body
    }
}
