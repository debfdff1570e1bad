import LinkRouting

extension AppleAppSiteAssociation {
    /// Returns whether iOS would open `url`, and the rule that decides it.
    ///
    /// The answer is the same for the same file and URL. It needs no device and never fails: a query without an
    /// answer gets a ``AppleDecision/Reason``, and behaviour that Apple does not document gets a note. The work is
    /// bounded.
    /// - Parameters:
    ///   - app: An application identifier, such as `ABCDE12345.com.example.app`, compared exactly. If nil, the answer
    ///     is for the first app in the file's order that opens the URL, else for the first app that the file names.
    ///   - domain: The host of the file, or `*.` and a host for the wildcard of an entitlement. If nil, the host of the
    ///     URL is assumed.
    public func decision(for url: String, app: String? = nil, domain: String? = nil) -> AppleDecision {
        decision(for: url, app: app, domain: domain, within: .decision)
    }

    func decision(for url: String, app: String?, domain: String?, within budget: StepBudget) -> AppleDecision {
        var simulation = AppleSimulation(app: app, domain: domain, budget: budget)
        return simulation.run(url, in: self)
    }
}

/// The evaluation of one query about a file.
private struct AppleSimulation {
    let app: String?
    let domain: String?
    private let budget: StepBudget
    private var host = ""
    private var notes: [AppleDecision.Note] = []
    private var tried: [AppleDecision.TriedRule] = []
    private var triedCount = 0
    private var partCount = 0

    typealias File = AppleAppSiteAssociation

    init(app: String?, domain: String?, budget: StepBudget) {
        self.app = app
        self.domain = domain
        self.budget = budget
    }

    /// The result of an entry's rules for the URL.
    private enum Ruling {
        case decided(File.Rule, File.MergedRule)
        case undecided(AppleDecision.Reason)

        var opens: Bool {
            guard case .decided(_, let merged) = self else { return false }
            return !merged.exclude.value
        }
    }

    /// An entry, and the app for which it is evaluated.
    private struct Candidate {
        let app: String
        let entry: File.Entry
    }

    mutating func run(_ text: String, in file: File) -> AppleDecision {
        let url: DeviceURL
        do throws(DeviceURL.Problem) { url = try DeviceURL(text) } catch { return answer(.invalidURL) }
        host = url.host
        notes += url.oddities.map { AppleDecision.Note($0.code) }
        guard ["http", "https"].contains(url.scheme) else { return answer(.scheme) }
        guard domain.map({ HostComparison.host(url.host, isOf: $0) }) ?? true else { return answer(.host) }
        guard let applinks = file.applinks else { return answer(.noApplinks) }
        noteFile(file, applinks)
        let candidates = candidates(in: applinks)
        guard !candidates.isEmpty else {
            return answer(applinks.details.allSatisfy(\.appIDs.isEmpty) ? .noApps : .appNotListed)
        }
        return judge(candidates, url, file, applinks)
    }

    /// Returns each entry with its first app that no earlier entry names. Devices read only one entry for each app.
    private mutating func candidates(in applinks: File.Applinks) -> [Candidate] {
        if let app {
            let entries = applinks.details.filter { $0.appIDs.contains(app) }
            if entries.count > 1 { notes.append(AppleDecision.Note(.appListedAgain, at: entries[1].pointer)) }
            return entries.prefix(1).map { Candidate(app: app, entry: $0) }
        }
        var seen: Set<String> = []
        var candidates: [Candidate] = []
        for entry in applinks.details {
            let new = entry.appIDs.filter { seen.insert($0).inserted }
            if let first = new.first { candidates.append(Candidate(app: first, entry: entry)) }
        }
        if seen.count > 1 { notes.append(AppleDecision.Note(.orderAcrossApps)) }
        return candidates
    }

    private mutating func judge(
        _ candidates: [Candidate],
        _ url: DeviceURL,
        _ file: File,
        _ applinks: File.Applinks
    ) -> AppleDecision {
        let variables = PatternVariables(custom: applinks.substitutionVariables)
        var inspection = RuleInspection(applinks, variables)
        var evaluation = RuleEvaluation(url, variables, budget)
        var first: (Candidate, Ruling)?
        var opening: (Candidate, Ruling)?
        for candidate in candidates where opening == nil {
            inspection.inspect(candidate.entry)
            do throws(StepBudget.Exhausted) {
                let ruling = try self.ruling(of: candidate.entry, &evaluation, &inspection, file)
                if ruling.opens { opening = (candidate, ruling) }
                if first == nil { first = (candidate, ruling) }
            } catch {
                notes.append(AppleDecision.Note(.stepBudget, at: candidate.entry.pointer))
                opening = (candidate, .undecided(.undecided))
            }
        }
        if evaluation.hasUndecodable { notes.append(AppleDecision.Note(.urlNotUTF8)) }
        notes += inspection.notes + evaluation.notes
        guard let (candidate, ruling) = opening ?? first else { return answer(.noApps) }
        return answer(ruling, candidate)
    }

    private mutating func ruling(
        of entry: File.Entry,
        _ evaluation: inout RuleEvaluation,
        _ inspection: inout RuleInspection,
        _ file: File
    ) throws(StepBudget.Exhausted) -> Ruling {
        if case .none = entry.rules { return .undecided(.noRules) }
        for rule in entry.ruleList {
            let merged = file.merged(rule, of: entry)
            inspection.inspect(rule, of: entry)
            let result = try evaluation.run(rule, merged, entry: entry.index)
            triedCount += 1
            partCount += result.parts.count
            let isReported = tried.count < AppleDecision.maximumTried && partCount <= AppleDecision.maximumParts
            if result.matches || isReported { tried.append(result) }
            if result.matches { return .decided(rule, merged) }
        }
        return .undecided(.noRuleMatched)
    }

    private mutating func noteFile(_ file: File, _ applinks: File.Applinks) {
        for (node, pointer) in [(file.root, ""), (applinks.node, File.Applinks.pointer)] where node.hasDuplicateKeys {
            notes.append(AppleDecision.Note(.duplicateKey, at: pointer))
        }
        if applinks.apps?.isEmpty == false {
            let code: AppleDecision.Note.Code = applinks.form == .missing ? .appsWithoutDetails : .appsBesideDetails
            notes.append(AppleDecision.Note(code, at: "\(File.Applinks.pointer)/apps"))
        }
        if applinks.form == .dictionary, applinks.details.count > 1, app == nil {
            notes.append(AppleDecision.Note(.dictionaryOrder, at: "\(File.Applinks.pointer)/details"))
        }
    }

    // MARK: Answers

    private func answer(_ reason: AppleDecision.Reason) -> AppleDecision { answer(.undecided(reason), nil) }

    private func answer(_ ruling: Ruling, _ candidate: Candidate?) -> AppleDecision {
        var rule: File.Rule?
        var merged: File.MergedRule?
        var reason: AppleDecision.Reason?
        var outcome = AppleDecision.Outcome.noMatch
        switch ruling {
        case .decided(let deciding, let rules):
            rule = deciding
            merged = rules
            outcome = rules.exclude.value ? .exclude : .match
        case .undecided(let why): reason = why
        }
        return AppleDecision(
            outcome: outcome,
            reason: reason,
            app: candidate?.app ?? app,
            entry: candidate?.entry.index,
            rule: rule?.index,
            pointer: rule?.pointer,
            mergedRule: merged,
            tried: tried,
            triedOmitted: triedCount - tried.count,
            notes: notes,
            assumptions: reason == .invalidURL ? [] : AppleDecision.assumptions(outcome, host: host, domain: domain)
        )
    }
}

extension DeviceURL.Oddity {
    fileprivate var code: AppleDecision.Note.Code {
        switch self {
        case .user: .urlUser
        case .port: .urlPort
        case .trailingDot: .urlTrailingDot
        case .encodedCharacters: .urlEncoded
        case .delimiters: .urlDelimiters
        case .invalidEscape: .urlInvalidEscape
        case .dotSegment: .urlDotSegment
        case .emptySegment: .urlEmptySegment
        case .parameters: .urlParameters
        }
    }
}
