import Foundation
import LinkAPI
import LinkCatalog
package import LinkRouting
import OutboundHTTP

/// Compares a tenant's file with a server, and applies it to the server.
package struct TablePlanning: Sendable {
    package let file: TableFile
    package let client: AdminClient
    /// The suites to store once the table is live.
    package var suites: [(name: String, text: String)] = []

    private var tenant: String { "tenants/\(file.tenant)" }

    package init(file: TableFile, client: AdminClient, suites: [(name: String, text: String)] = []) {
        self.file = file
        self.client = client
        self.suites = suites
    }

    /// The server's plan for the file.
    package struct Plan: Sendable {
        package let body: JSONNode
        /// The ETag of the live table; nil for a new tenant.
        package let live: String?
        /// The revision of the settings; nil for a new tenant.
        package let settingsRevision: Int64?

        package init(body: JSONNode, live: String?, settingsRevision: Int64?) {
            self.body = body
            self.live = live
            self.settingsRevision = settingsRevision
        }

        package var changesSettings: Bool { !(body["settings"]?.elements ?? []).isEmpty }
        package var changesTable: Bool { !(body["changes"]?["words"]?.elements ?? []).isEmpty }
        package var isEmpty: Bool { !changesSettings && !changesTable }
        package var onlySuitesFail: Bool { errors.isEmpty }
        package var isRefused: Bool { !errors.isEmpty || !suiteFailures.isEmpty }
        package var suiteFailures: [JSONNode] { body["suiteFailures"]?.elements ?? [] }
        private var errors: [JSONNode] { findings.filter { $0["severity"]?.text == "error" } }
        private var findings: [JSONNode] { body["findings"]?.elements ?? [] }

        /// The maximum number of moved links shown; --json shows all of them.
        private static let shown = 20

        /// The plan as text for people.
        package var lines: [String] {
            var lines: [String] = []
            if settingsRevision == nil { lines.append("the tenant is new") }
            for field in body["settings"]?.elements ?? [] {
                let (before, after) = (field["before"]?.json() ?? "nothing", field["after"]?.json() ?? "nothing")
                lines.append("settings: \(field["path"]?.text ?? "") changes from \(before) to \(after)")
            }
            lines += (body["changes"]?["words"]?.elements ?? []).compactMap(\.text)
            lines += findings.map { FindingText($0).line }
            lines += SuiteFailureLines(suiteFailures).lines.map { "suite: \($0)" }
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
            let plan = try await client.send(.post, "\(tenant)/draft/plan", json: file.wish(suites))
            return Plan(
                body: plan.body,
                live: plan.eTag,
                settingsRevision: settings.eTag.flatMap { Int64($0) }
            )
        } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_tenant" {
            return try newTenant()
        }
    }

    /// Plans for a tenant that the server does not know. The plan can be computed locally.
    private func newTenant() throws -> Plan {
        let checked = try TenantDocument(
            JSONNode.object([
                "formatVersion": .int(1), "settings": file.settings ?? .object([:]), "table": file.table,
            ]).json()
        ).checked()
        var writer = JSONWriter()
        writer.findings(checked.findings)
        let findings = try JSONReader.parse(writer.bytes, limits: JSONReader.Limits(maximumBytes: 64 << 20))
        let diff = TableDiff(from: .object([:]), to: file.table ?? .object([:]))
        let settings = (file.settings?.members ?? []).map { member in
            JSONNode.object(["path": .string(member.key), "after": member.value])
        }
        return Plan(
            body: .object([
                "live": .null, "settings": .array(settings), "changes": diff.json, "findings": findings,
                "suiteFailures": .array([]), "moves": .array([]),
            ]),
            live: nil,
            settingsRevision: nil
        )
    }

    private func isNew() async throws -> Bool {
        do {
            _ = try await client.send(.get, "\(tenant)/settings")
            return false
        } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_tenant" {
            return true
        }
    }

    /// Applies settings first, then the table, which depends on them, then the suites, which the table passes. Returns
    /// the new revision; nil if the table does not change.
    package func apply(_ plan: Plan, _ note: JSONNode) async throws -> JSONNode? {
        let published = try await applySettingsAndTable(plan, note)
        for suite in suites {
            _ = try await client.send(.put, "\(tenant)/suites/\(suite.name)", body: Array(suite.text.utf8))
        }
        return published
    }

    private func applySettingsAndTable(_ plan: Plan, _ note: JSONNode) async throws -> JSONNode? {
        let isNew = try await isNew()
        guard plan.changesSettings || isNew else { return try await publish(plan, note) }
        do {
            try await saveSettings(ifMatch: isNew ? nil : plan.settingsRevision)
        } catch let refusal as AdminClient.Refusal where refusal.code == "invalid_table" && plan.changesTable {
            // The live table needs the old settings; the new table may work with both.
            let published = try await publish(plan, note)
            try await saveSettings(ifMatch: plan.settingsRevision)
            return published
        }
        return try await publish(plan, note)
    }

    private func saveSettings(ifMatch revision: Int64?) async throws {
        _ = try await client.send(
            .put,
            "\(tenant)/settings",
            ifMatch: revision.map { "\($0)" },
            json: file.settings ?? .object([:])
        )
    }

    /// Publishes through a draft of its own, so that no other draft is touched.
    private func publish(_ plan: Plan, _ note: JSONNode) async throws -> JSONNode? {
        guard plan.changesTable, let table = file.table else { return nil }
        let draft = ("draft", "apply-\(UUID().uuidString.lowercased())")
        // Keeps what others publish from here on: only the file's changes since its base are applied.
        let base = ("base", file.basedOn.map { "\($0)" } ?? plan.live ?? "0")
        _ = try await client.send(.put, "\(tenant)/draft", query: [draft, base], json: table)
        do {
            return try await client.send(.post, "\(tenant)/draft/publish", query: [draft], json: note).body
        } catch {
            _ = try? await client.send(.delete, "\(tenant)/draft", query: [draft])
            throw error
        }
    }
}
