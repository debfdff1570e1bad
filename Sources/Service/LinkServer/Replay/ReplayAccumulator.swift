import LinkCatalog
import LinkEvents
import LinkRouting

/// Answers recorded links from two tables and counts the differences. Its memory does not grow with the log.
struct ReplayAccumulator {
    private let live: PublishedTable
    private let draft: PublishedTable
    /// Verdicts on links that were answered before and do not depend on the time.
    private var known: [RecordedLink: Verdict] = [:]
    private var groups: [Group.Key: Group] = [:]
    private var sampleCount = 0
    /// Replayed events by the live table's answer.
    private var replayedByMatch: [ReplayReport.Match: Int] = [:]
    private(set) var events = 0
    private var standIns = 0
    private var hidden: [RecordedLink.Hidden: Int] = [:]

    /// Maximum number of remembered links; further ones are answered again each time.
    private static let knownLimit = 20_000
    /// Maximum size of a remembered link: usual links are shorter, and longer ones would fill the memory.
    private static let knownBytes = 512
    private static let samplesPerGroup = 5
    /// Maximum number of samples in all groups together; the groups that come first get theirs.
    private static let sampleLimit = 2_000
    /// Maximum size of a link that becomes a sample; longer ones are only counted.
    private static let sampleBytes = 2_048

    private enum Verdict {
        case hidden(RecordedLink.Hidden)
        case same(ReplayReport.Match, usesStandIns: Bool)
        case different(Group.Key, usesStandIns: Bool)
    }

    private struct Group {
        struct Key: Hashable {
            let from: ReplayResult.Head
            let to: ReplayResult.Head
            let differences: [String]
        }

        var count = 0
        var samples: [ReplayReport.Sample] = []
        /// The links of the samples, without duplicates.
        var links: Set<RecordedLink> = []
    }

    init(live: PublishedTable, draft: PublishedTable) {
        self.live = live
        self.draft = draft
    }

    mutating func add(_ event: Event) {
        events += 1
        let link: RecordedLink
        do {
            link = try RecordedLink(event, table: live)
        } catch {
            hidden[error, default: 0] += 1
            return
        }
        guard !link.isCut else {
            hidden[.pathCut, default: 0] += 1
            return
        }
        let verdict = known[link] ?? judge(link, at: event.recordedAt)
        switch verdict {
        case .hidden(let reason):
            hidden[reason, default: 0] += 1
        case .same(let match, let usesStandIns):
            replayedByMatch[match, default: 0] += 1
            standIns += usesStandIns ? 1 : 0
        case .different(let key, let usesStandIns):
            replayedByMatch[ReplayReport.Match(key.from), default: 0] += 1
            standIns += usesStandIns ? 1 : 0
            groups[key]?.count += 1
        }
    }

    /// Answers the link from both tables; adds it to the samples of its group if that has few.
    private mutating func judge(_ link: RecordedLink, at instant: Timestamp) -> Verdict {
        let (verdict, isLasting) = verdict(on: link, at: instant)
        if isLasting, link.byteCount <= Self.knownBytes, known.count < Self.knownLimit { known[link] = verdict }
        return verdict
    }

    private mutating func verdict(on link: RecordedLink, at instant: Timestamp) -> (Verdict, isLasting: Bool) {
        let context = link.context(at: instant)
        let usesStandIns = !link.withheld.isEmpty
        guard let (readable, before) = link.resolved(by: live, in: context, standInsFor: [draft, live]) else {
            return (.hidden(usesStandIns ? .sensitive : .unreadable), true)
        }
        let isReproduced = link.isReproduced(by: before)
        // A condition on the time may decide differently for the next event with this link.
        let isTimeless = before.validFor > 0
        guard isReproduced || !usesStandIns else { return (.hidden(.sensitive), isTimeless) }
        guard isReproduced || !link.isOfTable else { return (.hidden(.notReproduced), isTimeless) }
        let after = draft.router.resolve(readable, in: context)
        let (from, to) = (ReplayResult(before), ReplayResult(after))
        let differences = from.differences(from: to)
        let isLasting = isTimeless && after.validFor > 0
        guard !differences.isEmpty else {
            return (.same(ReplayReport.Match(from.head), usesStandIns: usesStandIns), isLasting)
        }
        let key = Group.Key(from: from.head, to: to.head, differences: differences)
        note(link, at: instant, in: key, from, to)
        return (.different(key, usesStandIns: usesStandIns), isLasting)
    }

    private mutating func note(
        _ link: RecordedLink,
        at instant: Timestamp,
        in key: Group.Key,
        _ from: ReplayResult,
        _ to: ReplayResult
    ) {
        var group = groups[key] ?? Group()
        if group.samples.count < Self.samplesPerGroup, sampleCount < Self.sampleLimit,
            link.byteCount <= Self.sampleBytes, group.links.insert(link).inserted
        {
            group.samples.append(ReplayReport.Sample(link: link, at: instant, from: from, to: to))
            sampleCount += 1
        }
        groups[key] = group
    }

    // MARK: Report

    func report(from: Timestamp, to: Timestamp, isLimited: Bool) -> ReplayReport {
        let changes = groups.map { key, group in
            ReplayReport.ChangedLinks(
                from: key.from,
                to: key.to,
                differences: key.differences,
                count: group.count,
                samples: group.samples
            )
        }
        return ReplayReport(
            live: live,
            from: from,
            to: to,
            isLimited: isLimited,
            events: events,
            standIns: standIns,
            hidden: hidden,
            changes: changes,
            replayedByMatch: replayedByMatch,
            unseen: UnseenFact.list(live: live, draft: draft)
        )
    }
}
