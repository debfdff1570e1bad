/// Compares the answers that clients got with the stored events: acknowledged ⊆ stored ⊆ attempted.
struct AckedSet {
    /// Acknowledged events that are not stored.
    let lost: [String]
    /// Rows of requests that no client sent, or with an id that was acknowledged to another request.
    let invented: [String]
    /// Ids of more than one row.
    let repeated: [String]
    /// Requests that are stored only in part. A request must be committed completely or not at all.
    let torn: [String]
    /// Missing sequences below the last one without a recorded reason.
    let gaps: [Int64]
    /// Answered clicks of short links without a row that names the link.
    let unnamed: [String]

    init(_ history: RequestHistory, _ stored: StoredSet) {
        let (attempted, acknowledged) = (history.attempted, history.acknowledged)
        let byID = Dictionary(grouping: stored.rows, by: \.id)
        let byRequest = Dictionary(grouping: stored.rows, by: \.request)
        lost = acknowledged.values.flatMap(\.self).filter { byID[$0] == nil }
        repeated = byID.values.filter { $0.count > 1 }.compactMap(\.first?.id)
        invented = byRequest.filter { request, rows in
            guard attempted[request] != nil else { return true }
            guard let events = acknowledged[request] else { return false }
            return Set(rows.map(\.id)) != Set(events) && Set(rows.map(\.id)).isSuperset(of: events)
        }.map(\.key)
        torn = byRequest.filter { request, rows in attempted[request].map { $0 != rows.count } ?? false }.map(\.key)
        // These trials erase and drop nothing; FaultRetentionTests covers that.
        let sequences = Set(stored.rows.map(\.sequence))
        gaps = (1..<max(1, (sequences.max() ?? 0) + 1)).filter { !sequences.contains($0) }
        unnamed = history.clicked.filter { code in
            byRequest[code]?.map(\.shortLink) != ["\(FaultLoad.clickHost)/\(code)"]
        }
    }

    /// Descriptions of all violations; empty if there are none.
    var violations: [String] {
        func violation(_ what: String, _ found: [some CustomStringConvertible]) -> String? {
            found.isEmpty
                ? nil : "\(found.count) \(what): \(found.prefix(3).map(\.description).joined(separator: ", "))"
        }
        return [
            violation("acknowledged events are not stored", lost),
            violation("requests have rows that nobody asked for", invented),
            violation("ids are stored more than once", repeated),
            violation("requests are stored in part", torn),
            violation("sequences are missing", gaps),
            violation("clicks have no row that names their short link", unnamed),
        ].compactMap(\.self)
    }
}
