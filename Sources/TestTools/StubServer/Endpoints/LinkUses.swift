import LinkRouting
import StubMatching

/// The links that a session's requests asked about, for its report.
struct LinkUses: Sendable {
    struct Use: Sendable {
        let link: String
        let summary: String
        let failure: String?
        let firstAt: Timestamp
        var count = 1
    }

    /// The maximum number of different links in a report.
    static let maximumCount = 1_000

    private(set) var uses: [Use] = []
    /// The number of times that a link had no answer, also of links that are not listed.
    private(set) var failureCount = 0
    private var indices: [Key: Int] = [:]

    private struct Key: Hashable {
        let link: ExactText
        let summary: ExactText
    }

    mutating func append(_ record: LinkRecord, at instant: Timestamp) {
        if record.failure != nil { failureCount += 1 }
        let key = Key(link: ExactText(record.link), summary: ExactText(record.summary))
        if let index = indices[key] {
            uses[index].count += 1
            return
        }
        guard uses.count < Self.maximumCount else { return }
        indices[key] = uses.count
        uses.append(Use(link: record.link, summary: record.summary, failure: record.failure, firstAt: instant))
    }

    var json: JSONNode {
        .array(
            uses.map { use in
                .object([
                    "link": .string(use.link),
                    "result": .string(use.summary),
                    "failure": use.failure.map(JSONNode.string),
                    "at": .string(use.firstAt.description),
                    "count": .int(use.count),
                ])
            }
        )
    }
}
