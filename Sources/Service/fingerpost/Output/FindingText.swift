package import LinkRouting

/// A finding of a response, as text for people.
package struct FindingText {
    package let node: JSONNode

    package init(_ node: JSONNode) { self.node = node }

    package var line: String {
        let path = node["path"]?.text.map { "\($0): " } ?? ""
        let example = node["example"]?.text.map { " Example: \($0)." } ?? ""
        let fix = node["fix"]?.text.map { " \($0)" } ?? ""
        return "\(node["severity"]?.text ?? ""): \(path)\(node["message"]?.text ?? "")\(example)\(fix)"
    }
}

/// Text for entries of `suiteFailures`: one line per case, with its first difference.
package struct SuiteFailureLines {
    private let failures: [JSONNode]

    private static let shown = 20

    package init(_ failures: [JSONNode]) { self.failures = failures }

    /// The number of failed cases. A case may have several entries, one after the other.
    package var caseCount: Int { cases.count }

    private var cases: [(location: String, first: JSONNode, count: Int)] {
        var cases: [(location: String, first: JSONNode, count: Int)] = []
        for failure in failures {
            // A suite that is sent for a test has no name.
            let suite = failure["suite"]?.text ?? ""
            let location = (suite.isEmpty ? "" : "suite '\(suite)', ") + "line \(failure["line"]?.int ?? 0)"
            if cases.last?.location == location {
                cases[cases.count - 1].count += 1
            } else {
                cases.append((location, failure, 1))
            }
        }
        return cases
    }

    package var lines: [String] {
        let cases = cases
        let texts = cases.prefix(Self.shown).map { one in
            let more = one.count > 1 ? " (and \(one.count - 1) more)" : ""
            return "\(one.location): \(one.first["link"]?.text ?? ""): \(one.first["expected"]?.text ?? ""): "
                + "\(one.first["difference"]?.text ?? "")\(more)"
        }
        return texts + (cases.count > texts.count ? ["… and \(cases.count - texts.count) more cases"] : [])
    }
}
