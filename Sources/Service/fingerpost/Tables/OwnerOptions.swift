import ArgumentParser

/// Limits a tenant file to the routes of a team.
struct OwnerOptions: ParsableArguments {
    @ArgumentParser.Option(help: "Change only the routes of this owner. The file may have no others.")
    var owner: String?
    @Flag(help: "Also remove routes if the file has no other route of their owner.") var removeOthers = false

    func file(_ file: TableFile, _ client: AdminClient) async throws -> TableFile {
        guard let owner else { return try await file.settingsMerged(client) }
        return try await file.limited(to: owner, client: client)
    }

    /// Advice for a plan whose file is not limited to an owner.
    func advice(about plan: TablePlanning.Plan, of file: TableFile) -> String? {
        owner == nil ? file.advice(about: plan) : nil
    }
}
