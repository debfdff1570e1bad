package import LinkRouting

/// Recorded events as a table. The links, which come last, are whole.
package struct EventColumns {
    package let columns: TextColumns

    private static let headers = ["seq", "time", "kind", "outcome", "route", "platform", "link"]
    private static let widths = [9, 19, 7, 9, 16, 8, Int.max]

    /// - Parameters:
    ///   - events: Rows of an export.
    ///   - isFirst: Whether the part begins the table, with the headers.
    package init(_ events: [JSONNode], isFirst: Bool) {
        let rows = events.map { event in
            [
                "\(event["seq"]?.int ?? 0)", Self.time(event["recordedAt"]?.text ?? ""), event["kind"]?.text ?? "",
                event["outcome"]?.text ?? "", event["route"]?.text ?? event["reason"]?.text ?? "-",
                event["platform"]?.text ?? "-", Self.link(event),
            ]
        }
        columns = TextColumns(rows, under: isFirst ? Self.headers : nil, widths: Self.widths)
    }

    /// Returns `2026-11-21 10:00:00` of `2026-11-21T10:00:00.000Z`.
    private static func time(_ text: String) -> String {
        "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    /// The link without its query, as far as it is recorded.
    private static func link(_ event: JSONNode) -> String {
        guard let scheme = event["scheme"]?.text else { return "-" }
        let path = event["path"]?.text ?? ""
        return event["host"]?.text.map { "\(scheme)://\($0)\(path)" } ?? "\(scheme):/\(path)"
    }
}
