/// The findings of a check of all routes, limited to 1,000 of each code.
///
/// Without the limit, a table of 100,000 routes that lack the same key would produce 24 MB.
struct FindingList {
    private static let maximumOfCode = 1_000

    private var listed: [Finding] = []
    private var counts: [Finding.Code: Int] = [:]
    /// The first omitted finding of each code.
    private var omitted: [Finding] = []

    mutating func add(_ findings: [Finding]) {
        for finding in findings { add(finding.code) { finding } }
    }

    /// Adds a finding, which is created only if it is not omitted.
    mutating func add(_ code: Finding.Code, _ finding: () -> Finding) {
        let count = counts[code, default: 0]
        counts[code] = count + 1
        switch count {
        case ..<Self.maximumOfCode: listed.append(finding())
        case Self.maximumOfCode: omitted.append(finding())
        default: break
        }
    }

    /// The listed findings, and for each code with more of them a summary with the number of omitted ones.
    var findings: [Finding] {
        listed
            + omitted.map { first in
                let count = counts[first.code, default: 0] - Self.maximumOfCode
                return Finding(
                    first.code,
                    first.severity,
                    path: first.path,
                    message:
                        "\(count) more '\(first.code.rawValue)' findings, starting with this route, are not listed.",
                    fix: "Fix the findings that are listed, then check again."
                )
            }
    }
}

extension Collection where Element: CustomStringConvertible {
    /// Names the first elements, and the number of the others.
    package func listed(first count: Int) -> String {
        let shown = prefix(count).map(\.description).joined(separator: ", ")
        return self.count > count ? "\(shown) and \(self.count - count) more" : shown
    }
}
