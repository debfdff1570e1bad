import LinkRouting

/// Findings as they are made: each with its usual severity, and not more of one kind than a person reads.
struct AndroidFindings {
    private(set) var all: [AssociationFinding] = []
    private var counts: [AssociationFinding.Code: Int] = [:]

    /// Of one code in one file.
    static let maximumOfOneCode = 100
    private static let severities = Dictionary(
        uniqueKeysWithValues: AssociationFinding.androidCatalogue.map { ($0.code, $0.severity) }
    )

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

    /// In the order of the file; the last of a code that was cut short says how many there are.
    var sorted: [AssociationFinding] {
        var findings = all
        for (code, count) in counts where count > Self.maximumOfOneCode {
            guard let last = findings.lastIndex(where: { $0.code == code }) else { continue }
            findings[last].message += " (There are \(count - Self.maximumOfOneCode) more of this kind.)"
        }
        return findings.sorted(by: AssociationFinding.precedes)
    }
}
