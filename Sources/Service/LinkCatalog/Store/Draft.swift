package import LinkRouting

/// The version of a draft. Versions are never reused, even when a draft is published and started again.
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
    /// An empty table, not the one that is live now: a first draft would replace what others have published before.
    case nothing
    case revision(Revision)

    /// The base of a stored draft.
    package init(_ base: Revision?) { self = base.map(DraftBase.revision) ?? .nothing }
}

/// A draft, or the live table in its place when there is none yet.
package struct Draft: Sendable, Hashable {
    package let name: DraftName
    /// The revision that the draft started from; nil when nothing was live then.
    package let base: Revision?
    package let version: DraftVersion
    package let content: JSONNode
    /// The last author; nil when there is no draft yet.
    package let actor: Actor?
    /// The time of the last write; nil when there is no draft yet.
    package let writtenAt: Timestamp?

    package init(
        name: DraftName,
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
    package let name: DraftName
    package let base: Revision?
    package let version: DraftVersion
    package let routeCount: Int
    package let actor: Actor
    package let writtenAt: Timestamp

    package init(
        name: DraftName,
        base: Revision?,
        version: DraftVersion,
        routeCount: Int,
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

/// Another actor has written the draft as well.
package struct ForeignDraft: Error, Hashable, Sendable {
    package let name: DraftName
    package init(name: DraftName) { self.name = name }
}
