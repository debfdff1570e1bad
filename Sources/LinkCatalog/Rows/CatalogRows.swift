package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A stored revision of a tenant's settings.
package struct SettingsRow: Sendable, Hashable {
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

    package init(id: TenantID, settingsRevision: Int64, live: [EnvironmentID: Revision]) {
        self.id = id
        self.settingsRevision = settingsRevision
        self.live = live
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

/// The version of a draft. Versions are never reused, even when a draft is published and started anew.
package enum DraftVersion: Sendable, Hashable, CustomStringConvertible {
    /// A number from the tenant's write counter.
    case written(Int64)
    /// There is no draft; an edit would start from the live revision, or from an empty table.
    case live(Revision?)

    /// Parses an ETag without its quotes; nil when it is none.
    package init?(_ text: some StringProtocol) {
        if let version = Int64(text), version > 0 {
            self = .written(version)
        } else if text.hasPrefix("live-"), let revision = Int64(text.dropFirst(5)), revision >= 0 {
            self = .live(revision == 0 ? nil : Revision(rawValue: revision))
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .written(let version): "\(version)"
        case .live(let revision): "live-\(revision?.rawValue ?? 0)"
        }
    }
}

/// The table that a draft's changes relate to.
package enum DraftBase: Sendable, Hashable {
    /// The current base; for a new draft, the live revision.
    case kept
    /// An empty table.
    case nothing
    case revision(Revision)

    /// The base of a stored draft.
    package init(_ base: Revision?) { self = base.map(DraftBase.revision) ?? .nothing }
}

/// A draft, or the live table in its place when there is none yet.
package struct DraftRow: Sendable, Hashable {
    package let name: String
    /// The revision that the draft started from; nil when nothing was live then.
    package let base: Revision?
    package let version: DraftVersion
    package let content: JSONNode
    /// The last author; nil when there is no draft yet.
    package let actor: Actor?
    /// The time of the last write; nil when there is no draft yet.
    package let writtenAt: Timestamp?

    package init(
        name: String,
        base: Revision?,
        version: DraftVersion,
        content: JSONNode,
        actor: Actor? = nil,
        writtenAt: Timestamp? = nil
    ) {
        self.name = name
        self.base = base
        self.version = version
        self.content = content
        self.actor = actor
        self.writtenAt = writtenAt
    }
}

/// A draft, as shown in lists.
package struct DraftSummary: Sendable, Hashable {
    package let name: String
    package let base: Revision?
    package let version: DraftVersion
    /// Nil when the content cannot be read.
    package let routeCount: Int?
    package let actor: Actor
    package let writtenAt: Timestamp

    package init(
        name: String,
        base: Revision?,
        version: DraftVersion,
        routeCount: Int?,
        actor: Actor,
        writtenAt: Timestamp
    ) {
        self.name = name
        self.base = base
        self.version = version
        self.routeCount = routeCount
        self.actor = actor
        self.writtenAt = writtenAt
    }
}

/// The quota of one tenant's drafts, over all environments.
package struct DraftRoom: Sendable, Hashable {
    package let drafts: Int
    /// Maximum number of drafts written by a single actor.
    package let draftsOfOne: Int
    /// Maximum size of all drafts together.
    package let bytes: Int

    /// - Parameter tableBytes: Maximum size of one table.
    package init(drafts: Int, tableBytes: Int) {
        self.drafts = drafts
        draftsOfOne = max(drafts / 2, 1)
        bytes = tableBytes * 8
    }
}

/// A limit of ``DraftRoom`` is reached: drafts of the tenant, drafts of one actor, or bytes.
package enum TooManyDrafts: Error, Hashable, Sendable {
    case ofTenant(maximum: Int)
    case ofOne(maximum: Int)
    case bytes(maximum: Int)
}

/// The tenant has reached the number or the total size of its suites. Both are limited because each publication runs
/// all of them.
package enum TooManySuites: Error, Hashable, Sendable {
    case count
    case bytes

    package static let maximumCount = 64
    /// Maximum size of all suites of a tenant together.
    package static let maximumBytes = 16 << 20
}

/// The number of keys that have not ended has reached its maximum, for a tenant or for the keys without a tenant.
package struct TooManyKeys: Error, Hashable, Sendable, CustomStringConvertible {
    package let tenant: TenantID?

    package static let maximum = 1_000

    package init(tenant: TenantID?) { self.tenant = tenant }

    package var description: String {
        let found = tenant.map { "The tenant '\($0)' has" } ?? "There are"
        return "\(found) \(Self.maximum) active keys, which is the maximum. Revoke some first."
    }
}

/// The key that creates another key has ended.
package struct MakerHasEnded: Error, Hashable, Sendable {
    package init() {}
}

/// Another actor has written the draft as well.
package struct ForeignDraft: Error, Hashable, Sendable {
    package let name: String
    package init(name: String) { self.name = name }
}

/// A table to make live, and the versions that it was checked against.
package struct Publication: Sendable {
    package var tenant: TenantID
    package var environment: EnvironmentID
    package var content: JSONNode
    package var message: String
    package var approvals: [String] = []
    /// Why failing suites do not block the publication; nil when none fails.
    package var overrideReason: String?
    package var origin: Origin
    package var checked: Checked

    /// The source of the published table.
    package enum Origin: Sendable, Hashable {
        case draft(String, DraftVersion)
        /// An earlier revision of the same environment.
        case rollback(Revision)
        /// A revision of another environment.
        case promotion(Revision)

        package var name: String {
            switch self {
            case .draft: "draft"
            case .rollback: "rollback"
            case .promotion: "promotion"
            }
        }
    }

    /// The versions that a publication was checked against. It is refused when they have changed.
    package struct Checked: Sendable, Hashable {
        package let live: Revision?
        package let settings: Int64
        /// The newest version of the tenant's suites; 0 without any.
        package let suites: Int64

        package init(live: Revision?, settings: Int64, suites: Int64) {
            self.live = live
            self.settings = settings
            self.suites = suites
        }
    }
}

/// The metadata of a published revision.
package struct RevisionRow: Sendable, Hashable {
    package let revision: Revision
    package let environment: EnvironmentID
    package let parent: Revision?
    /// SHA-256 of the content, in hexadecimal.
    package let contentHash: String
    package let message: String
    package let actor: Actor
    package let publishedAt: Timestamp
    package let routeCount: Int
    /// `draft`, `rollback` or `promotion`.
    package let origin: String
    /// The revision that was rolled back to or promoted; nil for a draft.
    package let originRevision: Revision?
    package let approvals: [String]
    package let overrideReason: String?

    package init(
        revision: Revision,
        environment: EnvironmentID,
        parent: Revision?,
        contentHash: String,
        message: String,
        actor: Actor,
        publishedAt: Timestamp,
        routeCount: Int,
        origin: String,
        originRevision: Revision?,
        approvals: [String],
        overrideReason: String?
    ) {
        self.revision = revision
        self.environment = environment
        self.parent = parent
        self.contentHash = contentHash
        self.message = message
        self.actor = actor
        self.publishedAt = publishedAt
        self.routeCount = routeCount
        self.origin = origin
        self.originRevision = originRevision
        self.approvals = approvals
        self.overrideReason = overrideReason
    }
}

/// A stored suite.
package struct SuiteRow: Sendable, Hashable {
    package let name: String
    package let version: Int64
    /// As written, YAML or JSON.
    package let content: String

    package init(name: String, version: Int64, content: String) {
        self.name = name
        self.version = version
        self.content = content
    }
}

/// The way a key ends.
package enum KeyEnd: Sendable {
    /// Ends the key together with the keys that it created, recursively, and with the keys that it replaced.
    case revoke
    /// Ends the key alone. The keys that it created stay valid.
    case revokeAlone
    /// The key is replaced by another and stays valid for a grace period.
    case rotate

    /// The action's name in the audit log.
    package var action: String { self == .rotate ? "key.rotate" : "key.revoke" }
}

/// A key that has ended.
package struct EndedKey: Sendable, Hashable {
    package let key: KeyGrant
    /// The keys that ended together with it.
    package let others: [KeyGrant]

    package init(_ key: KeyGrant, others: [KeyGrant]) {
        self.key = key
        self.others = others
    }

    /// The JSON of the key, and `endedKeys`: the ids of the keys that ended together with it.
    package var json: JSONNode {
        let ended = JSONNode.Member("endedKeys", .array(others.map { .string($0.id) }))
        return JSONNode(.object((key.json.members ?? []) + [ended]))
    }
}

/// An entry of the audit log.
package struct AuditRow: Sendable, Hashable {
    package let id: Int64
    package let at: Timestamp
    package let actor: Actor
    /// Such as `table.publish`.
    package let action: String
    package let tenant: TenantID?
    package let environment: EnvironmentID?
    package let subject: String
    /// The state before the change, if it is small: numbers, hashes, grants.
    package let before: JSONNode?
    /// The state after the change, under the same condition.
    package let after: JSONNode?
    package let requestID: String
    /// SHA-256 of the row and the previous row's hash; nil in rows older than the hash chain.
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

/// A request with an idempotency key, which may be repeated.
package struct IdempotentRequest: Sendable, Hashable {
    /// The id of the key that sent it.
    package let actor: String
    /// The `Idempotency-Key`, combined with the operation.
    package let key: String
    /// SHA-256 of the method, target and body.
    package let hash: Data

    package init(actor: String, key: String, hash: Data) {
        self.actor = actor
        self.key = key
        self.hash = hash
    }
}

/// A stored response to a request with an idempotency key.
package struct StoredResponse: Sendable, Hashable {
    package let status: Int
    package let headers: [String: String]
    package let body: Data

    package init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The result of looking up an idempotency key.
package enum KnownRequest: Sendable, Hashable {
    case new
    case answered(StoredResponse)
    /// The idempotency key was used with another request.
    case other
}
