import LinkRouting

/// Runs a command's body. Turns a server's refusal into a failure with exit code 1.
package func tellingRefusals<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let refusal as AdminClient.Refusal {
        throw refusal.failure
    }
}

extension AdminClient.Refusal {
    /// The refusal as text for people: its detail, findings, suite failures and conflicts.
    package var failure: CommandFailure {
        var lines: [String] = []
        for finding in body["findings"]?.elements ?? [] { lines.append("  \(FindingText(finding).line)") }
        lines += SuiteFailureLines(body["suiteFailures"]?.elements ?? []).lines.map { "  \($0)" }
        for conflict in body["conflicts"]?.elements ?? [] {
            lines.append("  \(conflict["kind"]?.text ?? "") '\(conflict["subject"]?.text ?? "")'")
            for side in ["base", "live", "draft"] { lines.append("    \(side): \(conflict[side]?.json() ?? "null")") }
        }
        return fail(body["detail"]?.text ?? "the server responded with \(status)", .failed, more: lines)
    }
}
