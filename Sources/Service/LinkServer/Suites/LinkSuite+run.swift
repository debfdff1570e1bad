import AppAssociation
package import LinkCatalog
package import LinkRouting

extension LinkSuite {
    /// Runs the suite against a table, published or not, and returns the expectations that are not met. Records
    /// nothing.
    ///
    /// Expectations of continuations are not checked, because only a server seals continuations.
    ///
    /// - Parameter budget: Limits the work of the run. A case that exceeds it fails, because its result is unknown.
    package func run(
        against table: PublishedTable,
        at now: Timestamp,
        within budget: WorkBudget = .suites
    ) -> [SuiteFailure] {
        let catalog = Catalog([table])
        var files = GeneratedAssociationFiles(router: table.router, within: budget)
        return cases.flatMap { one in
            guard budget.spend(one.via == .system || one.via == .page ? 20_000 : 1_000) else {
                let tooMuch = "was not run: the tenant's suites take too long in total; remove some cases"
                return [one.failure("undecided", tooMuch, suite: name ?? "")]
            }
            let start = ProcessorTime.thread
            // A case with a trace takes longer than its steps; one of them is about 50 nanoseconds.
            defer { _ = budget.spend(Int(clamping: (ProcessorTime.thread &- start) / 50)) }
            var warnings: [String] = []
            // The contexts were parsed with the suite, so parsing cannot fail here.
            var context =
                (try? LinkContext(DocumentField(one.context, path: "context"), warnings: &warnings)) ?? LinkContext()
            context.now = context.now ?? now
            let answer = catalog.resolve(
                one.link,
                in: context,
                environment: table.environment,
                explanation: one.wantsTrace ? .included : .omitted
            )
            let limits = JSONReader.Limits(maximumBytes: 1 << 20)
            let node = try? JSONReader.parse(ResolveResponse(answer).json(), limits: limits)
            var failures = one.failures(of: node ?? .null, suite: name ?? "", sealsContinuations: false)
            if let difference = files.difference(one, action: answer.resolution.action) {
                failures.append(one.failure("association", difference, suite: name ?? ""))
            }
            return failures
        }
    }
}

extension GeneratedAssociationFiles {
    /// Returns why a link that the table opens in the app stays in the browser; nil if it opens in the app, or does not
    /// go through the system.
    fileprivate mutating func difference(_ one: LinkSuite.Case, action: Action?) -> String? {
        let opens: [Action] = [.openApp, .signIn, .updateApp]
        guard one.via == .system || one.via == .page, let action, opens.contains(action), let id = one.app,
            let host = try? DeepLink.parse(one.link).host
        else { return nil }
        guard let app = router.identity.apps.first(where: { $0.id == id }) else {
            return "the settings have no app '\(id)'"
        }
        guard let domain = router.identity.domain(for: host)?.host else {
            return "no domain of the tenant covers '\(host)'"
        }
        return handler(of: one.link, on: host, for: AppName(app)) == .browser
            ? "the association file of \(domain) keeps the link in the browser" : nil
    }
}

extension LinkSuite.Case {
    /// Whether the case expects a trace, so that the link must be resolved with one.
    package var wantsTrace: Bool { expectations.contains { $0.key == .trace } }

    /// Returns the expectations that an answer of `POST /resolve` does not meet.
    package func failures(of answer: JSONNode, suite: String, sealsContinuations: Bool) -> [SuiteFailure] {
        expectations.compactMap { expectation in
            guard expectation.key != .continuation || sealsContinuations,
                let difference = expectation.difference(in: answer)
            else { return nil }
            return failure(expectation.key.rawValue, difference, suite: suite)
        }
    }

    package func failure(_ key: String, _ difference: String, suite: String) -> SuiteFailure {
        SuiteFailure(suite: suite, line: position.line, link: link, key: key, difference: difference)
    }
}
