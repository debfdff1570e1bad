package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A code that leads to a target. It is stored beside the tables, so that creating one needs no publication.
package struct ShortLink: Sendable, Hashable {
    package let code: ShortCode
    package var content: Content
    package var status: Status
    package let createdAt: Timestamp
    /// The time of the last change.
    package var updatedAt: Timestamp
    package let createdBy: Actor
    /// 1 at first; each change adds 1. The ETag.
    package var version: Int64
    /// The keyed hash of the install whose app created the link, if the tenant's settings record installs.
    package var install: InstallHash?
    /// Whether an app created the link. It expires when nobody has followed it for a while.
    package var isFromApp: Bool

    package typealias InstallHash = Data

    /// The most links of a tenant.
    package static let mostOfTenant = 5_000_000
    /// Of those, the most that apps created.
    package static let mostOfApps = 500_000

    package enum Status: Sendable, Hashable {
        case active
        case archived
        /// Nobody may follow the link, for this reason, which visitors see.
        case blocked(reason: String)
        /// Archived while it was blocked. It is blocked again when it is restored.
        case archivedBlocked(reason: String)

        package enum Change: Sendable {
            case archive, restore
            case block(reason: String)
        }

        /// `active`, `archived` or `blocked`, as it is stored.
        package var name: String {
            switch self {
            case .active: "active"
            case .archived, .archivedBlocked: "archived"
            case .blocked: "blocked"
            }
        }

        package var blockReason: String? {
            switch self {
            case .active, .archived: nil
            case .blocked(let reason), .archivedBlocked(let reason): reason
            }
        }

        /// The status after a change. Restoring ends one of archive and block, the archive first.
        package func after(_ change: Change) -> Self {
            switch (change, self) {
            case (.archive, _): blockReason.map { Self.archivedBlocked(reason: $0) } ?? .archived
            case (.restore, .archivedBlocked(let reason)): .blocked(reason: reason)
            case (.restore, _): .active
            case (.block(let reason), _): .blocked(reason: reason)
            }
        }
    }

    /// What people write.
    package struct Content: Sendable, Hashable {
        /// An http(s) link that the live table answers, or a page on an allowed host; at most 8 KiB.
        package var target: String
        /// At most 200 bytes.
        package var title: String?
        /// At most 2,000 bytes.
        package var note: String?
        /// At most 20 of 64 bytes each.
        package var tags: [String]
        /// Added to the target where absent, by the names of ``campaignKeys``; at most 200 bytes each.
        package var campaign: [String: String]
        package var preview: Preview?
        /// Nobody can follow the link from then on.
        package var expires: Timestamp?

        package init(
            target: String,
            title: String? = nil,
            note: String? = nil,
            tags: [String] = [],
            campaign: [String: String] = [:],
            preview: Preview? = nil,
            expires: Timestamp? = nil
        ) {
            self.target = target
            self.title = title
            self.note = note
            self.tags = tags
            self.campaign = campaign
            self.preview = preview
            self.expires = expires
        }
    }

    /// The keys of `utm`: `source` is the query item `utm_source`, and so on.
    package static let campaignKeys = ["source", "medium", "campaign", "term", "content"]

    package typealias Preview = LinkPreview

    package init(
        code: ShortCode,
        content: Content,
        status: Status = .active,
        createdAt: Timestamp,
        updatedAt: Timestamp? = nil,
        createdBy: Actor,
        version: Int64 = 1,
        install: InstallHash? = nil,
        isFromApp: Bool = false
    ) {
        self.code = code
        self.content = content
        self.status = status
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
        self.createdBy = createdBy
        self.version = version
        self.install = install
        self.isFromApp = isFromApp
    }

    /// Whether the link has expired at a time.
    package func hasExpired(at now: Timestamp) -> Bool { content.expires.map { $0 <= now } ?? false }

    /// What people call the status: ``Status/name``, or `expired`.
    package func statusName(at now: Timestamp) -> String {
        status == .active && hasExpired(at: now) ? "expired" : status.name
    }
}
