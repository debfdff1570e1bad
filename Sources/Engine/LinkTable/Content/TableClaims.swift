package import LinkRouting

/// The claims of a signed table.
package struct TableClaims: Sendable, Hashable {
    package var scope: TableScope
    package var revision: Revision
    package var settingsRevision: Int64
    /// The features that an engine needs to read this table.
    package var requires: [String]
    /// Facts that the server knows and the app does not: `country`, or `traits.` and a name.
    package var serverFacts: [String]
    package var issuedAt: Timestamp
    /// The time after which an app should have a newer table. It continues to use this table after that time.
    package var expiresAt: Timestamp

    /// The default time between issue and expiry: 30 days.
    package static let defaultLifetime: Int64 = 30 * Timestamp.millisecondsPerDay

    /// - Parameter expiresAt: Nil for the default lifetime.
    package init(
        scope: TableScope,
        revision: Revision,
        settingsRevision: Int64,
        requires: [String] = [],
        serverFacts: [String] = [],
        issuedAt: Timestamp,
        expiresAt: Timestamp? = nil
    ) {
        self.scope = scope
        self.revision = revision
        self.settingsRevision = settingsRevision
        self.requires = requires
        self.serverFacts = serverFacts
        self.issuedAt = issuedAt
        self.expiresAt =
            expiresAt ?? Timestamp(milliseconds: issuedAt.milliseconds + Self.defaultLifetime)
    }

    /// The version of the table, which must not decrease.
    package var version: AppTableVersion { AppTableVersion(revision: revision, settingsRevision: settingsRevision) }
}

/// The tenant, environment and app of a table.
package struct TableScope: Sendable, Hashable, CustomStringConvertible {
    package var tenant: TenantID
    package var environment: EnvironmentID
    package var app: AppID

    package init(tenant: TenantID, environment: EnvironmentID = .production, app: AppID) {
        self.tenant = tenant
        self.environment = environment
        self.app = app
    }

    package var description: String { "app '\(app)' of tenant '\(tenant)' in '\(environment)'" }
}

/// The version of a table. Neither number of an app's table ever decreases.
package struct AppTableVersion: Sendable, Hashable, CustomStringConvertible {
    package let revision: Revision
    package let settingsRevision: Int64

    package init(revision: Revision, settingsRevision: Int64) {
        self.revision = revision
        self.settingsRevision = settingsRevision
    }

    /// Whether either number is smaller than the other version's.
    package func isOlder(than other: AppTableVersion) -> Bool {
        revision < other.revision || settingsRevision < other.settingsRevision
    }

    package var description: String { "revision \(revision), settings \(settingsRevision)" }
}
