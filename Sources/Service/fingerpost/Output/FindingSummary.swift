package import LinkRouting

/// The last line of a check, such as `13 routes, 0 errors, 2 warnings`.
package struct FindingSummary {
    package let line: String

    /// - Parameter routes: The number of routes in the file; nil if the file has no list of routes.
    package init(_ findings: [Finding], routes: Int?) {
        func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }
        let notes = count(.info)
        line = [
            routes.map { $0.counted("route") } ?? "no routes", count(.error).counted("error"),
            count(.warning).counted("warning"), notes == 0 ? nil : notes.counted("note"),
        ].compactMap(\.self).joined(separator: ", ")
    }
}
