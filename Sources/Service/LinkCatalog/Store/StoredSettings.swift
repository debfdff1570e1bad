package import LinkRouting

/// A stored revision of a tenant's settings.
package struct StoredSettings: Sendable, Hashable {
    package let tenant: TenantID
    package let revision: Int64
    package let content: JSONNode
    package let actor: Actor
    package let writtenAt: Timestamp

    package init(tenant: TenantID, revision: Int64, content: JSONNode, actor: Actor, writtenAt: Timestamp) {
        self.tenant = tenant
        self.revision = revision
        self.content = content
        self.actor = actor
        self.writtenAt = writtenAt
    }
}

/// A tenant, as shown in lists.
package struct TenantSummary: Sendable, Hashable {
    package let id: TenantID
    package let settingsRevision: Int64
    package let live: [EnvironmentID: Revision]
    /// When the tenant was archived; nil for an active tenant.
    package let archivedAt: Timestamp?

    package init(
        id: TenantID,
        settingsRevision: Int64,
        live: [EnvironmentID: Revision],
        archivedAt: Timestamp? = nil
    ) {
        self.id = id
        self.settingsRevision = settingsRevision
        self.live = live
        self.archivedAt = archivedAt
    }
}

/// A version of the settings, as shown in lists.
package struct SettingsVersion: Sendable, Hashable {
    package let revision: Int64
    package let actor: Actor
    package let writtenAt: Timestamp

    package init(revision: Int64, actor: Actor, writtenAt: Timestamp) {
        self.revision = revision
        self.actor = actor
        self.writtenAt = writtenAt
    }
}
