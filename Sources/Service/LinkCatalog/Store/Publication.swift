package import LinkRouting

/// A table to make live, and the versions that it was checked against.
package struct Publication: Sendable {
    package var tenant: TenantID
    package var environment: EnvironmentID
    package var content: JSONNode
    package var message: String
    package var approvals: [String]
    /// Why failing suites do not block the publication; nil when none fails.
    package var overrideReason: String?
    package var origin: Origin
    package var checked: Checked
    package var room: RevisionRoom

    package init(
        tenant: TenantID,
        environment: EnvironmentID,
        content: JSONNode,
        message: String,
        approvals: [String] = [],
        overrideReason: String? = nil,
        origin: Origin,
        checked: Checked,
        room: RevisionRoom = .ofTenant
    ) {
        self.tenant = tenant
        self.environment = environment
        self.content = content
        self.message = message
        self.approvals = approvals
        self.overrideReason = overrideReason
        self.origin = origin
        self.checked = checked
        self.room = room
    }

    /// What a publication has led to.
    package enum Outcome: Sendable, Hashable {
        case published(PublishedRevision)
        /// The table was live already, so there is no new revision.
        case alreadyLive(PublishedRevision)

        /// The live revision.
        package var row: PublishedRevision {
            switch self {
            case .published(let row), .alreadyLive(let row): row
            }
        }

        /// Nil if the table was live already.
        package var new: PublishedRevision? {
            if case .published(let row) = self { row } else { nil }
        }
    }

    /// The source of the published table.
    package enum Origin: Sendable, Hashable {
        case draft(DraftName, DraftVersion)
        /// A tenant's file that is applied without a draft.
        case file
        /// An earlier revision of the same environment.
        case rollback(Revision)
        /// A revision of another environment.
        case promotion(Revision)

        /// The origin in the form in which the published revision stores it.
        package var published: PublishedRevision.Origin {
            switch self {
            case .draft, .file: .draft
            case .rollback(let revision): .rollback(revision)
            case .promotion(let revision): .promotion(revision)
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
package struct PublishedRevision: Sendable, Hashable {
    package let revision: Revision
    package let environment: EnvironmentID
    package let parent: Revision?
    /// SHA-256 of the content, in hexadecimal.
    package let contentHash: String
    package let message: String
    package let actor: Actor
    package let publishedAt: Timestamp
    package let routeCount: Int
    package let origin: Origin
    package let approvals: [String]
    package let overrideReason: String?

    /// The origin of the table of a revision.
    package enum Origin: Sendable, Hashable {
        case draft
        /// An earlier revision of the same environment.
        case rollback(Revision)
        /// A revision of another environment.
        case promotion(Revision)

        /// Nil unless the name is one of an origin that has such a revision.
        package init?(_ name: String, of revision: Revision?) {
            switch (name, revision) {
            case ("draft", nil): self = .draft
            case ("rollback", let revision?): self = .rollback(revision)
            case ("promotion", let revision?): self = .promotion(revision)
            default: return nil
            }
        }

        package var name: String {
            switch self {
            case .draft: "draft"
            case .rollback: "rollback"
            case .promotion: "promotion"
            }
        }

        package var revision: Revision? {
            switch self {
            case .draft: nil
            case .rollback(let revision), .promotion(let revision): revision
            }
        }
    }

    package init(
        revision: Revision,
        environment: EnvironmentID,
        parent: Revision?,
        contentHash: String,
        message: String,
        actor: Actor,
        publishedAt: Timestamp,
        routeCount: Int,
        origin: Origin,
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
        self.approvals = approvals
        self.overrideReason = overrideReason
    }
}
