package import AppAssociation
package import LinkRouting

/// The changes that publishing a table would make, and the findings that may block it.
package struct TablePlan: Sendable {
    /// The table that would be live: the draft's changes merged into the live table.
    package let content: JSONNode
    /// The table that is live now.
    package let live: JSONNode
    /// From the settings that the plan was made with.
    package let identity: Identity
    /// The table that would be live, compiled.
    package let published: PublishedTable
    /// The live revision and the other versions that the plan was made against.
    package let checked: Publication.Checked
    /// Changes to the settings, if the request had settings.
    package let settings: [TableDiff.Field]
    package let diff: TableDiff
    package internal(set) var findings: [Finding]
    /// Failures of the tenant's stored suites.
    package let suiteFailures: [SuiteFailure]
    /// Links of the suites that move between app and browser.
    package let moves: [AssociationDiff.Move]

    /// Nil unless the publication makes changes that its note must accept.
    package internal(set) var unasked: UnaskedChanges?

    /// The findings that prevent publication.
    package var errors: [Finding] { findings.filter { $0.severity == .error } }
}

/// A difference between the answer to a case and its expectation.
package struct SuiteFailure: Sendable, Hashable {
    /// The name of the stored suite, or the path of its file.
    package var suite: String
    package var line: Int
    package var link: String
    /// The expected member of the answer, such as `route` or `action`.
    package var key: String
    package var difference: String

    package init(suite: String, line: Int, link: String, key: String, difference: String) {
        self.suite = suite
        self.line = line
        self.link = link
        self.key = key
        self.difference = difference
    }

    package var json: JSONNode {
        .object([
            "suite": .string(suite), "line": .int(line), "link": .string(link), "expected": .string(key),
            "difference": .string(difference),
        ])
    }
}

/// The result of running a suite.
package struct SuiteResult: Sendable, Hashable {
    package var name: String
    /// The cases, in the order of the suite.
    package var cases: [Case]
    package var failures: [SuiteFailure]

    package struct Case: Sendable, Hashable {
        package var line: Int
        package var link: String
    }

    package init(_ suite: LinkSuite, failures: [SuiteFailure]) {
        name = suite.name ?? ""
        cases = suite.cases.map { Case(line: $0.position.line, link: $0.link) }
        self.failures = failures
    }

    /// The number of cases with at least one failure.
    package var failedCases: Int { Set(failures.map(\.line)).count }

    /// `{suite, cases, failures}`
    package var json: JSONNode {
        .object([
            "suite": .string(name), "cases": .int(cases.count), "failures": .array(failures.map(\.json)),
        ])
    }
}
