import LinkRouting

/// Runs a command's body. Turns a server's refusal into a failure with exit code 1.
package func reportingRefusals<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let refusal as AdminClient.Refusal {
        throw refusal.failure
    }
}

/// As ``reportingRefusals(_:)``, for one request that changes the server entirely or not at all: a refusal ends with the
/// line that nothing was changed.
package func reportingRefusalsOfChanges<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let refusal as AdminClient.Refusal {
        // A server error may have happened after the change.
        throw (400..<500).contains(refusal.status) ? refusal.failure.withoutChange : refusal.failure
    } catch let failure as CommandFailure where failure.status == .failed {
        // The command refused before it sent the change.
        throw failure.withoutChange
    }
}

extension CommandFailure {
    /// The failure with the line that nothing was changed, unless it says so already.
    fileprivate var withoutChange: CommandFailure {
        let isIncluded = lines.contains { $0.contains("othing was changed") }
        return CommandFailure(lines: lines + (isIncluded ? [] : [nothingChanged]), status: status)
    }
}

/// The last line of a refused change.
package let nothingChanged = "Nothing was changed."

extension AdminClient.Refusal {
    /// The refusal as text for people: its detail, findings, suite failures and conflicts.
    package var failure: CommandFailure { failure(in: nil) }

    /// - Parameter file: The file that was sent, for a command that sends several.
    package func failure(in file: String?, _ status: ExitStatus = .failed) -> CommandFailure {
        var lines: [String] = []
        lines += FindingLines(body["findings"]?.elements ?? []).lines.map { "  \($0)" }
        lines += SuiteFailureLines(body["suiteFailures"]?.elements ?? []).lines.map { "  \($0)" }
        lines += ChangeLines(body["changes"]).lines.map { "  \($0)" }
        for conflict in body["conflicts"]?.elements ?? [] {
            lines.append("  \(conflict["kind"]?.text ?? "") '\(conflict["subject"]?.text ?? "")'")
            for side in ["base", "live", "draft"] { lines.append("    \(side): \(conflict[side]?.json() ?? "null")") }
        }
        let hint = nearTenant.map { " Did you mean '\($0)'?" } ?? ""
        var refusal = ServerRefusal(status: self.status, body: body, tenant: tenant, needs: needs)
        refusal.isComposed = isComposed
        let text = refusal.text + hint
        return fail(file.map { "\($0): \(text)" } ?? text, status, more: lines)
    }
}
