import ArgumentParser
import Foundation
import LinkRouting
import NIOCore
import Networking

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the databases into a new directory while the service runs.",
        discussion: """
            EXAMPLES
              fingerpost backup /backups/2026-11-21 --data ./data
              fingerpost backup "/backups/$(date +%F)" --data ./data --json

            Each file is copied as a consistent snapshot, checked, synced, and listed with its SHA-256. The directory \
            gets its name only when all of that is done. Exports are not included: copy DIR/service/exports with your \
            own tools.
            """
    )

    @ArgumentParser.Argument(help: "The directory to create; it must not exist.") var folder: String
    @ArgumentParser.Option(help: "The data directory.") var data = "data"
    @Flag(help: "Print the list of files as JSON.") var json = false

    func validate() throws {
        guard !folder.hasPrefix("~") else {
            throw ValidationError("'\(folder)': only a shell replaces '~', so write the whole path.")
        }
        guard !folder.contains("://") else {
            throw ValidationError("'\(folder)' is a URL; name a folder of this machine.")
        }
    }

    func run() async throws {
        // The running server may have another working directory.
        let target = URL(filePath: folder).standardizedFileURL.path
        let list = try await showingProgress("copying") {
            try await DirectoryClient.open(data, timeout: .seconds(86_400)) {
                try await $0.send(.post, "backup", json: .object(["to": .string(target)])).body
            }
        }
        // The service of the systemd unit has a /tmp of its own, which its end removes.
        guard access(target, F_OK) == 0 else {
            throw fail(
                "the service wrote \(target), but to a file system that only it sees; name a folder outside of /tmp and /var/tmp, "
                    + "such as one in /var/lib/fingerpost-backups.",
                .ioError
            )
        }
        guard !json else { return show(list) }
        let files = list["files"]?.elements ?? []
        let bytes = files.reduce(0) { $0 + ($1["bytes"]?.int ?? 0) }
        show("\(target): \(files.count) files, \(bytes) bytes")
    }
}
