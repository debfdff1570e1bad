import ArgumentParser
import Foundation
import LinkEvents
import LinkRouting
import LinkServer
import NIOCore

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a tenant's events to files: close the current window, or re-export earlier windows.",
        discussion: """
            EXAMPLES
              fingerpost export shop --data ./data                # close the window
              fingerpost export shop --window events-20261121T110000.000Z --data ./data
              fingerpost export shop --since 2026-11-01           # windows missing since
              fingerpost export shop --all --config /etc/fingerpost.yaml

            Re-exporting a window writes the same bytes, or a new version after an erasure. --since and --all skip \
            windows that are complete, so you can resume an interrupted run by repeating it. Windows from which \
            retention has dropped rows are counted as gone.

            Works on a directory that no process uses, or through a running server's control socket.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(help: "Re-export the window with this name in its manifest, with or without directories.")
    var window: String?
    @ArgumentParser.Option(help: "Export missing windows that end after this date or RFC 3339 time.")
    var since: String?
    @Flag(help: "Export all missing windows.") var all = false
    @Flag(help: "Print the manifest of the window as JSON.") var json = false
    @OptionGroup var flags: FileFlags
    /// Accepted because a script may pass the flags of `serve`; an export listens on no port.
    @OptionGroup(visibility: .hidden) var addresses: AddressFlags

    func validate() throws {
        guard [window != nil, since != nil, all].count(where: \.self) <= 1 else {
            throw ValidationError("Use only one of --window, --since and --all.")
        }
        guard !json || since == nil && !all else {
            throw ValidationError("--json prints the manifest of one window; leave out --since and --all.")
        }
    }

    func run() async throws {
        guard let tenant = TenantID(tenant) else { throw ValidationError(TenantID.rule(self.tenant)) }
        let start = try start
        let configuration = try await flags.read(addresses)
        do {
            // The duration depends on the number of rows in a window.
            let timeout = TimeAmount.seconds(86_400)
            try await DirectoryClient.open(configuration.data, exports: configuration, timeout: timeout) { client in
                let session = ExportSession(tenant: tenant, client: client)
                if all || since != nil {
                    try await session.backfill(since: start)
                } else if let window {
                    report(try await showingProgress("exporting") { try await session.export(again: window) })
                } else {
                    report(try await showingProgress("exporting") { try await session.export() })
                }
            }
        } catch let error as FileFailure {
            throw fail("the export could not be written: \(error). The next export writes its events.", .ioError)
        }
    }

    private func report(_ manifest: JSONNode) {
        guard !json else { return show(manifest) }
        guard let file = manifest["file"], let path = file["path"]?.text else {
            return show("no events: no file was written")
        }
        show("\((manifest["rows"]?.int ?? 0).counted("row")), \((file["bytes"]?.int ?? 0).counted("byte")): \(path)")
    }

    private var start: Timestamp? {
        get throws {
            guard let since else { return nil }
            guard let instant = Timestamp(option: since) else {
                throw ValidationError("--since is '\(since)'; write a date such as 2026-11-01 or an RFC 3339 time.")
            }
            guard instant <= SystemClock.now() else {
                throw ValidationError("--since is '\(since)', which is in the future; write an earlier date or time.")
            }
            return instant
        }
    }
}
