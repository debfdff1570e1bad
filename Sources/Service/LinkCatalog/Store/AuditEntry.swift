package import LinkRouting

/// An entry of the audit log.
package struct AuditEntry: Sendable, Hashable {
    package let id: Int64
    package let at: Timestamp
    package let actor: Actor
    /// The name of the action, such as `table.publish`.
    package let action: String
    package let tenant: TenantID?
    package let environment: EnvironmentID?
    package let subject: String
    /// The state before the change, if it is small: numbers, hashes, grants.
    package let before: JSONNode?
    /// The state after the change, under the same condition.
    package let after: JSONNode?
    package let requestID: String
    /// SHA-256 of the row and the previous row's hash; nil in a row that is not stored yet.
    package let hash: String?

    package init(
        id: Int64,
        at: Timestamp,
        actor: Actor,
        action: String,
        tenant: TenantID?,
        environment: EnvironmentID?,
        subject: String,
        before: JSONNode?,
        after: JSONNode?,
        requestID: String,
        hash: String?
    ) {
        self.id = id
        self.at = at
        self.actor = actor
        self.action = action
        self.tenant = tenant
        self.environment = environment
        self.subject = subject
        self.before = before
        self.after = after
        self.requestID = requestID
        self.hash = hash
    }
}

/// The result of verifying the audit log's hash chain.
package struct AuditVerdict: Sendable, Hashable {
    package let rows: Int
    /// The hash of the last row. Keep it elsewhere to detect that rows at the end are missing.
    package let head: String?
    /// The first row that was altered or that follows missing rows; nil if the chain is intact.
    package let brokenAt: Int64?

    package init(rows: Int, head: String?, brokenAt: Int64?) {
        self.rows = rows
        self.head = head
        self.brokenAt = brokenAt
    }
}
