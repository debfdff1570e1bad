import ArgumentParser
import Foundation
import LinkRouting

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a tenant's events as files: end a window now, or export earlier windows again.",
        discussion: """
            EXAMPLES
              fingerpost export shop --data ./data                      # end the window now; prints its manifest
              fingerpost export shop --window events-20261121T110000.000Z --data ./data
              fingerpost export shop --since 2026-11-01 --data ./data   # what is missing since then, window by window
              fingerpost export shop --all --config /etc/fingerpost.yaml

            A window that is exported again has the same bytes; after an erasure it is a new version of its manifest. --since
            and --all leave alone what is there whole, so a run that was stopped is taken up by repeating it; windows of which
            retention has dropped rows are counted as gone.

            Works on a directory that no process uses, and through a running server's control socket.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(help: "Export this window again: its name, as in the manifest, with or without folders.")
    var window: String?
    @ArgumentParser.Option(help: "Export what is missing of the windows that end after a day or an RFC 3339 instant.")
    var since: String?
    @Flag(help: "Export what is missing of every window.") var all = false
    @OptionGroup var flags: ConfigurationFlags

    func validate() throws {
        guard [window != nil, since != nil, all].count(where: \.self) <= 1 else {
            throw ValidationError("Write one of --window, --since and --all.")
        }
    }

    func run() async throws {
        guard let tenant = TenantID(tenant) else { throw ValidationError("'\(self.tenant)' is not a tenant's id.") }
        let start = try firstInstant()
        let configuration = try await flags.read()
        try await ExportSession.open(configuration) { session in
            if let start {
                try await Backfill(tenant: tenant, since: start, session: session).run()
            } else {
                let wish = window.map { ExportRequest.again(tenant, window: $0) } ?? .now(tenant)
                show(try await session.answer(wish))
            }
        }
    }

    private func firstInstant() throws -> Timestamp? {
        if all { return Timestamp(milliseconds: .min) }
        guard let since else { return nil }
        guard let instant = Timestamp(since) ?? Timestamp(since + "T00:00:00Z") else {
            throw ValidationError("--since is '\(since)'; write a day such as 2026-11-01 or an instant in RFC 3339.")
        }
        return instant
    }
}
