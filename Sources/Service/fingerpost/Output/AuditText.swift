package import LinkRouting

/// Entries of the audit log as text for people.
package struct AuditText {
    package static let headers = [
        "time", "actor", "action", "tenant", "environment", "subject", "origin", "message", "override",
    ]

    /// The cells of each entry.
    package let rows: [[String]]

    /// What each action did.
    private static let words = [
        "settings.write": "settings written", "tenant.archive": "tenant archived",
        "tenant.unarchive": "tenant unarchived", "tenant.remove": "tenant removed", "draft.write": "draft written",
        "draft.remove": "draft removed", "table.publish": "table published", "revision.prune": "revisions pruned",
        "suite.write": "suite written", "suite.remove": "suite removed", "key.create": "key created",
        "key.rotate": "key rotated", "key.revoke": "key revoked", "erase_install": "install erased",
        "force_retention": "retention forced", "import_short_links": "short links imported",
        "block_short_link": "short link blocked",
    ]

    /// - Parameter entries: The entries as the admin API describes them.
    package init(_ entries: [JSONNode]) {
        rows = entries.map { entry in
            let (action, after) = (entry["action"]?.text ?? "", entry["after"])
            let cells: [String?] = [
                entry["at"]?.text, entry["actor"]?["name"]?.text, Self.words[action] ?? action, entry["tenant"]?.text,
                entry["environment"]?.text, entry["subject"]?.text, after?.originText,
                // A publication has a message, and a forced retention a reason.
                after?["message"]?.text ?? after?["reason"]?.text, after?.overrideText,
            ]
            return cells.map { $0 ?? "" }
        }
    }
}

extension JSONNode {
    /// The origin of a revision, or of its entry in the audit log; nil if it came from a draft.
    package var originText: String? { self["originRevision"]?.int.map { "\(self["origin"]?.text ?? "") of \($0)" } }

    /// The reason for which failing suites were overridden, of a revision or of its entry in the audit log.
    package var overrideText: String? { self["overrideReason"]?.text.map { "override: \($0)" } }
}
