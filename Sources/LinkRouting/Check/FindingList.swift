/// The findings of a check that asks every route, of which 1,000 of each code are kept.
///
/// A table of 100,000 routes that lack the same key would be answered with 24 MB otherwise.
struct FindingList {
    private static let maximumOfCode = 1_000

    private var kept: [Finding] = []
    private var counts: [Finding.Code: Int] = [:]
    /// The first of each code that was not kept.
    private var omitted: [Finding] = []

    mutating func add(_ findings: [Finding]) {
        for finding in findings {
            let count = counts[finding.code, default: 0]
            counts[finding.code] = count + 1
            switch count {
            case ..<Self.maximumOfCode: kept.append(finding)
            case Self.maximumOfCode: omitted.append(finding)
            default: break
            }
        }
    }

    /// What was kept, and for each code of which there were more, how many.
    var findings: [Finding] {
        kept
            + omitted.map { first in
                let count = counts[first.code, default: 0] - Self.maximumOfCode
                return Finding(
                    first.code,
                    first.severity,
                    path: first.path,
                    message: "\(count) more of '\(first.code.rawValue)' begin here and are not listed.",
                    fix: "Correct those that are listed, and check again."
                )
            }
    }
}
