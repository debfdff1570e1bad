import Foundation
import TestSupport
import Testing

/// What other users of the machine can do to a data directory: nothing, whatever the umask is and whoever may write there.
@Suite(.timeLimit(.minutes(15)))
struct DataDirectoryAccessTests {
    private static let isRoot: Bool = geteuid() == 0
    private static let needsRoot: Comment = "SKIPPED: run the tests as root, to act as another user"
    private static let nobody = 65_534
    private static let openUmask = ["/bin/sh", "-c", #"umask 0; exec "$@""#, "sh"]

    /// Runs a script in the directory with `fingerpost` on the PATH. Returns the combined output.
    private func shell(_ directory: String, _ script: String) async throws -> (status: Int32, text: String) {
        let prepared = "cd '\(directory)' && PATH='\(RunningServer.products.path)':$PATH && { \(script); } 2>&1"
        let result = try await runBeside("sh", ["-c", prepared])
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    // MARK: The control socket

    /// Lists the keys over the socket, as the user.
    private static let client = #"""
        import os, socket, sys
        os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
        peer = socket.socket(socket.AF_UNIX)
        try:
            peer.connect(sys.argv[1])
            peer.sendall(b"GET /admin/v1/keys HTTP/1.1\r\nHost: a\r\n\r\n")
            print("answer:", peer.recv(12).decode())
        except OSError as error:
            print("error:", error.strerror)
        """#

    @Test(.enabled(if: isRoot, needsRoot), arguments: ["umask 0", "umask 2"])
    func controlSocketAnswersNoOtherUser(_ umask: String) async throws {
        try await withTemporaryDirectory { directory in
            #expect(chmod(directory, 0o755) == 0)
            let (data, client) = (directory + "/data", directory + "/client.py")
            #expect(try await shell(directory, "mkdir -m 775 data").status == 0)
            try Self.client.write(toFile: client, atomically: true, encoding: .utf8)
            let server = try RunningServer(directory: data, launcher: ["/bin/sh", "-c", "\(umask); exec \"$@\"", "sh"])
            defer { server.killNow() }
            let socket = server.service + "/control.sock"

            let kept = try await runBeside("python3", [client, socket, "\(Self.nobody)"])
            #expect(String(decoding: kept.output, as: UTF8.self) == "error: Permission denied\n")
            // The user of a connection is checked as well, should the folder be opened or replaced.
            #expect(chmod(server.service, 0o777) == 0 && chmod(socket, 0o777) == 0)
            for _ in 0..<20 {
                let foreign = try await runBeside("python3", [client, socket, "\(Self.nobody)"])
                let text = String(decoding: foreign.output, as: UTF8.self)
                #expect(text == "answer: \n" || text.hasPrefix("error: "), "\(text)")
            }
            let own = try await runBeside("python3", [client, socket, "0"])
            #expect(String(decoding: own.output, as: UTF8.self) == "answer: HTTP/1.1 200\n")
        }
    }

    // MARK: The directory

    @Test(arguments: ["777", "1777", "702"])
    func directoryThatEveryUserMayWriteIsRefused(_ mode: String) async throws {
        try await withTemporaryDirectory { directory in
            #expect(try await shell(directory, "mkdir data && chmod \(mode) data").status == 0)
            for command in [
                "serve --public 127.0.0.1:0 --admin 127.0.0.1:0 --ops 127.0.0.1:0", "migrate",
                "keys create --init --name x --scope admin",
            ] {
                let refused = try await shell(directory, "fingerpost \(command) --data data")
                #expect(refused.status == 78 && refused.text.contains("run 'chmod o-w data'"), "\(refused.text)")
                #expect(try await shell(directory, "ls -A data").text.isEmpty)
            }
            let repaired = try await shell(directory, "chmod o-w data && fingerpost migrate --data data")
            #expect(repaired.status == 0, "\(repaired.text)")
            let opened = try await shell(directory, "chmod o+w data && fingerpost keys list --data data")
            #expect(opened.status == 78, "\(opened.text)")
        }
    }

    /// The operator's own path may contain links. Replacing one does not lead a running service elsewhere.
    @Test func directoryMayBeALink() async throws {
        try await withTemporaryDirectory { directory in
            #expect(try await shell(directory, "mkdir real other && ln -s real data").status == 0)
            let server = try RunningServer(directory: directory + "/data")
            #expect(try await shell(directory, "fingerpost keys list --data data && ln -sfn other data").status == 0)
            let answer = try HTTPConnection(port: server.publicPort)
                .request("POST", "/resolve", body: #"{"url":"yourapp://product/1"}"#)
            #expect(answer.status == 200)
            let export = try await shell(
                directory,
                "fingerpost export shop --data real && ls other real/service/exports"
            )
            #expect(
                export.status == 0 && export.text.hasSuffix("other:\n\nreal/service/exports:\ntenant=shop\n"),
                "\(export)"
            )
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            #expect(try await shell(directory, "ls -A other").text.isEmpty)
        }
    }

    /// A link in place of something that the service stores is refused, and its target unchanged.
    @Test(arguments: [
        "lock", "running", "catalog.db", "catalog.db-wal", "links.db", "restored", "events/2026-11-21.db",
    ])
    func plantedLinkIsRefused(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            let planted = try await shell(
                directory,
                """
                mkdir -p data/service/events && chmod 770 data data/service && echo precious >target
                ln -s "$PWD/target" data/service/\(name)
                """
            )
            #expect(planted.status == 0)
            for command in ["migrate", "keys list", "keys create --init --name x --scope admin"] {
                let refused = try await shell(directory, "fingerpost \(command) --data data")
                #expect(refused.status == 78, "\(command): \(refused.text)")
                #expect(refused.text.contains("/data/service/\(name) is a symbolic link"), "\(refused.text)")
                #expect(
                    try await shell(directory, "cat target && readlink data/service/\(name)").text.hasPrefix(
                        "precious\n"
                    )
                )
            }
        }
    }

    @Test(arguments: ["service", "service/events"])
    func plantedLinkToAFolderIsRefused(_ name: String) async throws {
        try await withTemporaryDirectory { directory in
            let planted = try await shell(
                directory,
                #"mkdir -m 755 target && mkdir data && mkdir -p "$(dirname data/\#(name))" && ln -s "$PWD/target" data/\#(name)"#
            )
            #expect(planted.status == 0)
            let refused = try await shell(directory, "fingerpost migrate --data data")
            #expect(
                refused.status == 78 && refused.text.contains("/data/\(name) is a symbolic link"),
                "\(refused.text)"
            )
            #expect(try await shell(directory, "ls -A target; stat -c %a target").text == "755\n")
        }
    }

    @Test(.enabled(if: isRoot, needsRoot)) func folderOfAnotherUserIsRefused() async throws {
        try await withTemporaryDirectory { directory in
            let planted = "mkdir -m 775 data && mkdir -m 700 data/service && chown \(Self.nobody) data/service"
            #expect(try await shell(directory, planted).status == 0)
            let refused = try await shell(directory, "fingerpost migrate --data data")
            #expect(refused.status == 78 && refused.text.contains("'chown -R 0 "), "\(refused.text)")
            #expect(try await shell(directory, "ls -A data/service").text.isEmpty)
            // Root may work on the directory of the service's user.
            let owned = try await shell(directory, "chown \(Self.nobody) data && fingerpost migrate --data data")
            #expect(owned.status == 0, "\(owned.text)")
        }
    }

    private static let asNobody = "setpriv --reuid=\(nobody) --regid=\(nobody) --clear-groups"
    private static let actsAsNobody: Bool =
        isRoot
        && (try? run("sh", "-c", "\(asNobody) '\(RunningServer.products.path)/fingerpost' --version"))?.status == 0
    private static let needsNobody: Comment =
        "SKIPPED: run the tests as root, with setpriv and a build that another user may execute, to act as another user"

    @Test(.enabled(if: actsAsNobody, needsNobody)) func directoryOfAnotherUserNamesItsOwner() async throws {
        try await withTemporaryDirectory { directory in
            #expect(chmod(directory, 0o755) == 0)
            #expect(try await shell(directory, "fingerpost migrate --data data").status == 0)
            for command in ["keys list", "verify-log"] {
                let refused = try await shell(directory, "\(Self.asNobody) fingerpost \(command) --data data")
                #expect(refused.status == 74, "\(refused.text)")
                #expect(refused.text.contains("You may not read data, which belongs to root: run"), "\(refused.text)")
            }
        }
    }

    // MARK: Exports

    @Test func exportsAreTheirOwnersAlone() async throws {
        try await withTemporaryDirectory { directory in
            #expect(try await shell(directory, "umask 0; mkdir -m 775 data disk").status == 0)
            for (place, environment) in [
                ("data/service/exports", [:]), ("disk", ["FINGERPOST_EXPORTS_DIRECTORY": directory + "/disk"]),
            ] {
                let server = try RunningServer(
                    directory: directory + "/data",
                    launcher: Self.openUmask,
                    environment: environment
                )
                let answer = try HTTPConnection(port: server.publicPort)
                    .request("POST", "/resolve", body: #"{"url":"yourapp://product/1"}"#)
                #expect(answer.status == 200)
                #expect(try await shell(directory, "fingerpost export shop --data data").status == 0)
                let open = try await shell(
                    directory,
                    "find \(place) -type f | wc -l; find \(place) -mindepth 1 -perm /077"
                )
                #expect(open.text.trimmingCharacters(in: .whitespacesAndNewlines) == "2", "\(open.text)")
                server.send(SIGTERM)
                #expect(server.wait().status == 0)
            }
        }
    }
}
