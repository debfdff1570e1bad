package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

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

/// A tenant as lists show it.
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

/// Settings as lists show them.
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

/// Which writing of a draft is meant. No two are ever alike, also when a draft is published and begun anew.
package enum DraftVersion: Sendable, Hashable, CustomStringConvertible {
    /// Counts the tenant's writes.
    case written(Int64)
    /// There is no draft: what would be edited is what is live, or nothing.
    case live(Revision?)

    /// As an ETag says it, without quotes.
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

/// What a draft's changes are changes of.
package enum DraftBase: Sendable, Hashable {
    /// What it is already; what is live for a draft that is new.
    case kept
    /// An empty table.
    case nothing
    case revision(Revision)

    /// As a draft is stored.
    package init(_ base: Revision?) { self = base.map(DraftBase.revision) ?? .nothing }
}

package struct DraftRow: Sendable, Hashable {
    package let name: String
    /// The revision that the draft was begun from; nil for one that was begun before anything was live.
    package let base: Revision?
    package let version: DraftVersion
    package let content: JSONNode
    /// Who wrote it last, and when; nil when there is no draft yet.
    package let actor: Actor?
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

/// A draft as lists show it.
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

/// What the drafts of one tenant may take, all environments together.
package struct DraftRoom: Sendable, Hashable {
    package let drafts: Int
    /// How many of them may have been written by one actor alone.
    package let draftsOfOne: Int
    package let bytes: Int

    /// - Parameter tableBytes: Of one table.
    package init(drafts: Int, tableBytes: Int) {
        self.drafts = drafts
        draftsOfOne = max(drafts / 2, 1)
        bytes = tableBytes * 8
    }
}

package enum TooManyDrafts: Error, Hashable, Sendable {
    case ofTenant(maximum: Int)
    case ofOne(maximum: Int)
    case bytes(maximum: Int)
}

/// A tenant has as many suites, or as large ones, as it may. Each publication runs all of them.
package enum TooManySuites: Error, Hashable, Sendable {
    case count
    case bytes

    package static let maximumCount = 64
    /// Of all suites of a tenant together.
    package static let maximumBytes = 16 << 20
}

/// A tenant, or what is of no tenant, has as many keys that have not ended as it may.
package struct TooManyKeys: Error, Hashable, Sendable, CustomStringConvertible {
    package let tenant: TenantID?

    package static let maximum = 1_000

    package init(tenant: TenantID?) { self.tenant = tenant }

    package var description: String {
        let found = tenant.map { "The tenant '\($0)' has" } ?? "There are"
        return "\(found) \(Self.maximum) keys that have not ended, which is all that there may be. End some first."
    }
}

/// The key that was to make another one has ended.
package struct MakerHasEnded: Error, Hashable, Sendable {
    package init() {}
}

/// Somebody else has written the draft, too.
package struct ForeignDraft: Error, Hashable, Sendable {
    package let name: String
    package init(name: String) { self.name = name }
}

/// A table that is to be live, and what it was checked against.
package struct Publication: Sendable {
    package var tenant: TenantID
    package var environment: EnvironmentID
    package var content: JSONNode
    package var message: String
    package var approvals: [String] = []
    /// Why failing suites do not keep it back; nil when none fails.
    package var overrideReason: String?
    package var origin: Origin
    package var checked: Checked

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

package struct RevisionRow: Sendable, Hashable {
    package let revision: Revision
    package let environment: EnvironmentID
    package let parent: Revision?
    /// SHA-256 of the content, hexadecimal.
    package let contentHash: String
    package let message: String
    package let actor: Actor
    package let publishedAt: Timestamp
    package let routeCount: Int
    /// `draft`, `rollback` or `promotion`.
    package let origin: String
    /// The revision that was rolled back to or promoted.
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

package struct SuiteRow: Sendable, Hashable {
    package let name: String
    package let version: Int64
    /// As it was written, YAML or JSON.
    package let content: String

    package init(name: String, version: Int64, content: String) {
        self.name = name
        self.version = version
        self.content = content
    }
}

/// How a key comes to its end.
package enum KeyEnd: Sendable {
    /// It ends with every key that it made, the keys that those made, and the keys that it took over from.
    case revoke
    /// What it made goes on.
    case revokeAlone
    /// Another one replaces it, and it goes on for a while.
    case rotate

    /// As the audit says it.
    package var action: String { self == .rotate ? "key.rotate" : "key.revoke" }
}

/// A key as it ended.
package struct EndedKey: Sendable, Hashable {
    package let key: KeyGrant
    /// Those that ended with it.
    package let others: [KeyGrant]

    package init(_ key: KeyGrant, others: [KeyGrant]) {
        self.key = key
        self.others = others
    }

    /// The key's, and `endedKeys`: the ids of those that ended with it.
    package var json: JSONNode {
        let ended = JSONNode.Member("endedKeys", .array(others.map { .string($0.id) }))
        return JSONNode(.object((key.json.members ?? []) + [ended]))
    }
}

package struct AuditRow: Sendable, Hashable {
    package let id: Int64
    package let at: Timestamp
    package let actor: Actor
    /// Such as `table.publish`.
    package let action: String
    package let tenant: TenantID?
    package let environment: EnvironmentID?
    package let subject: String
    /// What was and what is, as far as it is small: numbers, hashes, grants.
    package let before: JSONNode?
    package let after: JSONNode?
    package let requestID: String
    /// SHA-256 over the row and the hash of the row before; nil in rows from before rows were chained.
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

package struct AuditVerdict: Sendable, Hashable {
    package let rows: Int
    /// The hash of the last row, to be kept elsewhere: whoever has it sees when rows at the end are missing.
    package let head: String?
    /// The first row that is not as it was written, or before which rows are missing.
    package let brokenAt: Int64?

    package init(rows: Int, head: String?, brokenAt: Int64?) {
        self.rows = rows
        self.head = head
        self.brokenAt = brokenAt
    }
}

/// A request that may come twice.
package struct IdempotentRequest: Sendable, Hashable {
    /// The id of the key that sent it.
    package let actor: String
    /// The `Idempotency-Key`, and the operation that it came with.
    package let key: String
    /// SHA-256 of its method, target and body.
    package let hash: Data

    package init(actor: String, key: String, hash: Data) {
        self.actor = actor
        self.key = key
        self.hash = hash
    }
}

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

package enum KnownRequest: Sendable, Hashable {
    case new
    case answered(StoredResponse)
    /// The key came with another request.
    case other
}
