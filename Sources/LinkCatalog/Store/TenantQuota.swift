package import LinkRouting

// What a tenant's editors can make the server store. docs/security.md lists every table with its bound.

/// The room for a tenant's revisions, over all environments.
package struct RevisionRoom: Sendable, Hashable {
    package let revisions: Int
    /// Maximum size of all distinct tables together. Equal tables are stored once.
    package let bytes: Int

    /// The newest revisions of each environment that stay, whatever the room. Pruning keeps as many by default.
    package static let kept = 50

    /// The ``kept`` revisions of all 17 environments are within the number. The ``kept`` tables of one environment are
    /// within the bytes even if each has the 32 MiB that `limits.tableBytes` permits by default; other environments
    /// usually have the same tables.
    package static let ofTenant = RevisionRoom(revisions: 1_000, bytes: 2 << 30)

    package init(revisions: Int, bytes: Int) {
        self.revisions = revisions
        self.bytes = bytes
    }
}

/// A publication would exceed the ``RevisionRoom``, and too few older revisions may go.
package struct TooManyRevisions: Error, Hashable, Sendable {
    package let tenant: TenantID
    package let room: RevisionRoom

    package init(tenant: TenantID, room: RevisionRoom) {
        self.tenant = tenant
        self.room = room
    }
}
