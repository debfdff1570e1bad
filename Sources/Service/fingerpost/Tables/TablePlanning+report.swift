import ArgumentParser

extension TablePlanning.Plan {
    /// The plan for a table that the server has.
    init(_ answer: AdminClient.Response) {
        self.init(body: answer.body, live: answer.eTag, settingsRevision: 0)
    }

    /// Prints what would change, and ends with the exit code of plan: 1 if the server would reject it, 2 if something would
    /// change.
    ///
    /// - Parameter notes: What the lines do not say: advice, and why it would be rejected.
    func report(_ notes: [String?] = [], isReady: Bool, json: Bool) throws {
        json ? show(body) : show(lines + notes.compactMap(\.self))
        if !isReady { throw ExitCode(ExitStatus.failed.rawValue) }
        if !isEmpty { throw ExitCode(ExitStatus.wouldChange.rawValue) }
    }
}
