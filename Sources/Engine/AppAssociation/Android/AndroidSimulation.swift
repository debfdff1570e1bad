import LinkRouting

extension AssetLinks {
    /// Returns whether Android would open `url` according to this file, and the rule that decides it.
    ///
    /// The file alone never opens an app: the intent filters of the manifest must accept the URL too, and the
    /// certificate of the installed app must be one of the statement's. The answer needs no device and never fails. Its
    /// work is bounded.
    /// - Parameters:
    ///   - package: An application ID, compared exactly. If nil, the answer is for the first app in the file's order
    ///     that the file opens (`match` or `manifest`), else for the first app that the file names.
    ///   - domain: The host of the file, or `*.` and a host for a wildcard of the manifest. If nil, the host of the URL
    ///     is assumed.
    public func decision(for url: String, package: String? = nil, domain: String? = nil) -> AndroidDecision {
        decision(for: url, package: package, domain: domain, within: .decision)
    }

    func decision(for url: String, package: String?, domain: String?, within budget: StepBudget) -> AndroidDecision {
        var simulation = AndroidSimulation(package: package, domain: domain)
        return simulation.run(url, in: self, budget)
    }
}

/// The evaluation of one query about a file.
private struct AndroidSimulation {
    let package: String?
    let domain: String?
    private var notes: [AndroidDecision.Note] = []
    private var tried: [AndroidDecision.TriedRule] = []
    private var triedCount = 0

    init(package: String?, domain: String?) {
        self.package = package
        self.domain = domain
    }

    /// The result of the statements about one app.
    private struct Ruling {
        let app: String
        var outcome: AndroidDecision.Outcome
        var reason: AndroidDecision.Reason?
        var statement: AssetLinks.Statement?
        var rule: AssetLinks.Rule?

        var opens: Bool { outcome == .match || outcome == .manifest }
    }

    mutating func run(_ text: String, in file: AssetLinks, _ budget: StepBudget) -> AndroidDecision {
        let url: AndroidURL
        do throws(DeviceURL.Problem) { url = try AndroidURL(text) } catch { return answer(.invalidURL) }
        guard ["http", "https"].contains(url.url.scheme) else { return answer(.scheme) }
        guard domain.map({ HostComparison.host(url.url.host, isOf: $0) }) ?? true else { return answer(.host) }
        if url.url.oddities.contains(.port) { notes.append(AndroidDecision.Note(.urlPort)) }
        if url.url.oddities.contains(.invalidEscape) { notes.append(AndroidDecision.Note(.urlInvalidEscape)) }
        let statements = Dictionary(grouping: file.statements) { $0.packageName }
        var seen: Set<String> = []
        var apps = file.statements.compactMap(\.packageName).filter { seen.insert($0).inserted }
        guard !apps.isEmpty else { return answer(.noApps) }
        if let package {
            guard seen.contains(package) else { return answer(.appNotListed) }
            apps = [package]
        }
        return judge(apps, statements, AndroidRuleEvaluation(url, budget))
    }

    private mutating func judge(
        _ apps: [String],
        _ statements: [String?: [AssetLinks.Statement]],
        _ evaluation: AndroidRuleEvaluation
    ) -> AndroidDecision {
        var evaluation = evaluation
        if apps.count > 1 { notes.append(AndroidDecision.Note(.orderAcrossApps)) }
        var first: Ruling?
        var opening: Ruling?
        for app in apps where opening == nil {
            let ruling = ruling(of: app, statements[app] ?? [], &evaluation)
            if ruling.opens || ruling.reason == .undecided { opening = ruling }
            if first == nil { first = ruling }
        }
        notes += evaluation.notes
        guard let ruling = opening ?? first else { return answer(.noApps) }
        return answer(ruling)
    }

    private mutating func ruling(
        of app: String,
        _ statements: [AssetLinks.Statement],
        _ evaluation: inout AndroidRuleEvaluation
    ) -> Ruling {
        let relation = StatementRelation.handleAllURLs.description
        let all = statements.filter { $0.relationTexts.contains(relation) }
        let granting = all.filter { !$0.isDropped }
        if let dropped = all.first(where: \.isDropped), case .failure(let malformation) = dropped.content {
            add(.malformedStatement, at: malformation.pointer)
            if granting.isEmpty {
                return Ruling(app: app, outcome: .noMatch, reason: .statementDropped, statement: dropped)
            }
        }
        guard let statement = granting.first(where: { $0.dynamicRules != nil }) ?? granting.first else {
            return Ruling(app: app, outcome: .noMatch, reason: .noRelation, statement: statements.first)
        }
        noteStatements(granting, statement)
        guard let rules = statement.dynamicRules, rules.node.elements?.isEmpty != true else {
            return Ruling(app: app, outcome: .manifest, reason: .noRules, statement: statement)
        }
        add(.androidVersion, at: rules.pointer)
        if let flaw = rules.flaw {
            add(.rulesVoid, at: flaw.pointer)
            return Ruling(app: app, outcome: .manifest, reason: .rulesVoid, statement: statement)
        }
        for rule in rules.rules {
            do throws(StepBudget.Exhausted) {
                let result = try evaluation.run(rule, entry: statement.index)
                triedCount += 1
                if result.matches || tried.count < AndroidDecision.maximumTried { tried.append(result) }
                guard result.matches else { continue }
                return Ruling(
                    app: app,
                    outcome: rule.exclude ? .exclude : .match,
                    reason: nil,
                    statement: statement,
                    rule: rule
                )
            } catch {
                add(.stepBudget, at: rule.pointer)
                return Ruling(app: app, outcome: .noMatch, reason: .undecided, statement: statement)
            }
        }
        return Ruling(app: app, outcome: .noMatch, reason: .noRuleMatched, statement: statement)
    }

    private mutating func noteStatements(_ granting: [AssetLinks.Statement], _ chosen: AssetLinks.Statement) {
        if granting.count > 1 { add(.severalStatements, at: granting[1].pointer) }
        if granting.count(where: { $0.dynamicRules != nil }) > 1 { add(.severalRuleSets, at: chosen.pointer) }
        if case .failure(let malformation) = chosen.content { add(.malformedFingerprint, at: malformation.pointer) }
    }

    private mutating func add(_ code: AndroidDecision.Note.Code, at pointer: String) {
        guard notes.count < AndroidDecision.maximumNotes else { return }
        notes.append(AndroidDecision.Note(code, at: pointer))
    }

    // MARK: Answers

    private func answer(_ reason: AndroidDecision.Reason) -> AndroidDecision {
        decision(.noMatch, reason, app: package, statement: nil, rule: nil)
    }

    private func answer(_ ruling: Ruling) -> AndroidDecision {
        decision(ruling.outcome, ruling.reason, app: ruling.app, statement: ruling.statement, rule: ruling.rule)
    }

    private func decision(
        _ outcome: AndroidDecision.Outcome,
        _ reason: AndroidDecision.Reason?,
        app: String?,
        statement: AssetLinks.Statement?,
        rule: AssetLinks.Rule?
    ) -> AndroidDecision {
        AndroidDecision(
            outcome: outcome,
            reason: reason,
            app: app,
            entry: statement?.index,
            rule: rule?.index,
            pointer: rule?.pointer,
            tried: tried,
            triedOmitted: triedCount - tried.count,
            notes: notes,
            assumptions: outcome == .match || outcome == .manifest ? AndroidDecision.assumptions : []
        )
    }
}

extension AndroidDecision {
    /// The conditions besides the file that must hold for an app to open.
    static let assumptions = [
        "The app's manifest has an intent filter with android:autoVerify=\"true\" that accepts the URL; the file "
            + "can only narrow it.",
        "The certificate of the installed app is one of the statement's fingerprints, and Android has verified the host.",
        "The user has not turned off supported links for the app, and follows the link outside the app's own site.",
    ]
}
