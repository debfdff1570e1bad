import ArgumentParser
import LinkRouting
import OutboundHTTP

struct Retention: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what of a tenant's log is kept, waits for its export, or may go; drop what may go now.",
        discussion: """
            EXAMPLES
              fingerpost retention shop
              fingerpost retention shop --apply
              fingerpost retention shop --force "the bucket was given up, ticket 4711"

            A server drops what may go by itself, after every midnight of UTC. Rows that no export holds yet wait, however old
            they are; --force drops them all the same, and the audit keeps who did it and why.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Drop now what may go.") var apply = false
    @ArgumentParser.Option(help: "Drop also what waits for its export, for this reason.") var force: String?
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let answer = try await tellingRefusals {
            let client = try admin.client()
            let path = "tenants/\(tenant)/retention"
            guard apply || force != nil else { return try await client.send(.get, path) }
            return try await client.send(
                .post,
                path,
                json: .object(["force": force.map { .object(["reason": .string($0)]) }])
            )
        }
        guard !json else { return show(answer.body) }
        for state in ["kept", "waiting", "dropped"] {
            let days = answer.body[state]?.elements ?? []
            let rows = days.reduce(0) { $0 + ($1["rows"]?.int ?? 0) }
            let range =
                days.isEmpty ? "" : ", \(days.first?["day"]?.text ?? "") to \(days.last?["day"]?.text ?? "")"
            let name = state == "dropped" && !apply && force == nil ? "may go" : state
            show("\(name): \(rows) rows of \(days.count) days\(range)")
        }
    }
}
