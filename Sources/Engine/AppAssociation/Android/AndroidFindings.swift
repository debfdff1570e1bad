import LinkRouting

/// Collects the findings of one validation. Each gets the default severity of its code, and their number per code is
/// limited.
struct AndroidFindings {
    /// The budget of the validation.
    let budget: WorkBudget
    /// Ends with the budget's cancellation only. The other checks take linear time, so their steps are not limited.
    private let cancellation: WorkBudget
    private(set) var all: [AssociationFinding] = []
    private var counts: [AssociationFinding.Code: Int] = [:]

    /// The maximum number of findings of one code in one file.
    static let maximumOfOneCode = 100
    private static let severities = Dictionary(
        uniqueKeysWithValues: AssociationFinding.androidCatalogue.map { ($0.code, $0.severity) }
    )

    init(budget: WorkBudget) {
        self.budget = budget
        cancellation = budget.other(steps: .max)
    }

    /// Whether the validation is not cancelled. Each loop over parts of the file asks it.
    func continues() -> Bool { cancellation.spend() }

    mutating func add(
        _ code: AssociationFinding.Code,
        _ pointer: String,
        _ position: JSONNode.Position,
        _ message: String,
        fix: String
    ) {
        counts[code, default: 0] += 1
        guard counts[code, default: 0] <= Self.maximumOfOneCode else { return }
        let isPlaced = position != .unknown
        all.append(
            AssociationFinding(
                code,
                Self.severities[code] ?? .error,
                pointer: pointer,
                position: isPlaced ? position : AssociationFinding.wholeFile,
                message: message,
                fix: fix
            )
        )
    }

    /// The findings in the order of the file. The last finding of a code that exceeds the limit states the omitted
    /// number.
    var sorted: [AssociationFinding] {
        var findings = all
        for (code, count) in counts where count > Self.maximumOfOneCode {
            guard let last = findings.lastIndex(where: { $0.code == code }) else { continue }
            findings[last].message += " (There are \(count - Self.maximumOfOneCode) more of this kind.)"
        }
        return findings.sorted(by: AssociationFinding.precedes)
    }
}
