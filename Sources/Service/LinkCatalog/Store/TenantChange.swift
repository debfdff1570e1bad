package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Settings, a publication and suites of a tenant that are stored together or not at all.
package struct TenantChange: Sendable {
    package var settings: SettingsChange?
    package var publication: Publication?
    package var suites: [SuiteName: String]

    package init(settings: SettingsChange?, publication: Publication?, suites: [SuiteName: String]) {
        self.settings = settings
        self.publication = publication
        self.suites = suites
    }

    /// The stored parts; nil for parts that did not change.
    package struct Stored: Sendable {
        package let settings: StoredSettings?
        package let revision: PublishedRevision?

        package init(settings: StoredSettings?, revision: PublishedRevision?) {
            self.settings = settings
            self.revision = revision
        }
    }
}

/// Settings to write, and the state that they were checked against.
package struct SettingsChange: Sendable {
    package var content: JSONNode
    package var identity: Identity
    /// Stored if the tenant has none yet.
    package var installKey: Data?
    /// The current revision; nil accepts any.
    package var expected: Int64?
    /// The live tables that were checked under the settings.
    package var checked: [EnvironmentID: Revision]
    package var claims: HostClaims.Rule

    package init(
        content: JSONNode,
        identity: Identity,
        installKey: Data?,
        expected: Int64?,
        checked: [EnvironmentID: Revision],
        claims: HostClaims.Rule
    ) {
        self.content = content
        self.identity = identity
        self.installKey = installKey
        self.expected = expected
        self.checked = checked
        self.claims = claims
    }
}
