import LinkRouting

/// Changes that a publication would make beside those that it is about. They are refused unless its note accepts them.
package struct UnaskedChanges: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A promotion undoes what was changed in its target since the last one.
        case undoing
        /// A file removes routes, and has no other route of their owner.
        case removingOthers
    }

    package let kind: Kind
    package let diff: TableDiff

    /// Nil if nothing would be changed.
    private init?(_ kind: Kind, _ diff: TableDiff) {
        guard !diff.isEmpty else { return nil }
        self.kind = kind
        self.diff = diff
    }

    /// The changes of a live table that a promoted one would undo; nil for none.
    ///
    /// - Parameter base: The target's table when it was last in step with the source.
    init?(promoting content: JSONNode, over live: JSONNode, since base: JSONNode) {
        let kept = TableMerge(base: base, live: live, draft: content).content
        self.init(.undoing, TableDiff(from: kept, to: content))
    }

    /// The removed routes whose owner none of a file's routes has; nil for none. Those without an owner count as well if
    /// the file has no route without one.
    init?(applying file: JSONNode, _ diff: TableDiff) {
        let owners = Set(TableDiff.routes(of: file).map { route in route.owner.map { ExactText($0) } })
        var removals = TableDiff(from: file, to: file)
        removals.removed = diff.removed.filter { route in !owners.contains(route.owner.map { ExactText($0) }) }
        self.init(.removingOthers, removals)
    }
}

extension PublishedRevision {
    /// Returns the target's revision that was in step with this one's environment: the newest that was promoted from one to
    /// the other. If this very revision was promoted and then rolled back, that promotion.
    /// Before the first promotion, the one that was live when the source was first published. Nil without one, and if it
    /// may have been pruned.
    ///
    /// - Parameters:
    ///   - live: The live revision of the target.
    ///   - rows: The tenant's revisions, newest first.
    func stepBefore(promotionOver live: Revision, in target: EnvironmentID, _ rows: [PublishedRevision]) -> Revision? {
        let sources = Set(rows.filter { $0.environment == environment }.map(\.revision))
        let known = Set(rows.map(\.revision))
        let targets = Dictionary(rows.filter { $0.environment == target }.map { ($0.revision, $0) }) { first, _ in first
        }
        var live = live
        // A rollback has the table that it went back to.
        while case .rollback(let earlier)? = targets[live]?.origin, earlier < live { live = earlier }
        if let undone = rows.first(where: { $0.environment == target && $0.origin == .promotion(revision) }),
            undone.revision > live
        {
            return undone.revision
        }
        for row in rows {
            guard case .promotion(let origin) = row.origin else { continue }
            if row.environment == target, row.revision <= live, sources.contains(origin) || !known.contains(origin) {
                return row.revision
            }
            if row.environment == environment, row.revision <= revision, origin <= live, targets[origin] != nil {
                return origin
            }
        }
        guard let first = sources.min(), rows.last?.revision.rawValue == 1 else { return nil }
        return targets.keys.filter { $0 < first && $0 <= live }.max()
    }
}
