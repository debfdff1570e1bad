package import LinkRouting

/// The actor, time and request id of a change to the catalog, for its audit row.
package struct AuditContext: Sendable {
    package let actor: Actor
    package let at: Timestamp
    package let requestID: String
    package let share: QuotaShare

    package init(actor: Actor, at: Timestamp, requestID: String, share: QuotaShare = .unlimited) {
        self.actor = actor
        self.at = at
        self.requestID = requestID
        self.share = share
    }
}

/// An audited action that changes nothing in the catalog itself.
package struct AuditAction: Sendable {
    package let kind: Kind
    /// Nil for what belongs to no tenant.
    package let tenant: TenantID?
    package let facts: JSONNode

    /// The raw value is the audit row's `action`.
    package enum Kind: String, Sendable {
        case eraseInstall = "erase_install"
        case forceRetention = "force_retention"
        case importShortLinks = "import_short_links"
        case blockShortLink = "block_short_link"
        case endSession = "end_session"
        case exportWindow = "export_window"
    }

    package init(_ kind: Kind, of tenant: TenantID?, _ facts: JSONNode) {
        self.kind = kind
        self.tenant = tenant
        self.facts = facts
    }
}
