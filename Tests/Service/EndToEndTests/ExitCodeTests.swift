import Foundation
import TestSupport
import Testing

/// For each fault of a data directory, every command exits with the documented code and one line that names the file.
@Suite(.timeLimit(.minutes(15)))
struct ExitCodeTests {
    struct Command: Sendable, CustomTestStringConvertible {
        let words: [String]
        var testDescription: String { words.joined(separator: " ") }
    }

    private static let export = Command(words: ["export", "shop"])
    static let commands = [
        Command(words: ["serve", "--public", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--ops", "127.0.0.1:0"]),
        Command(words: ["migrate"]), export, Command(words: ["keys", "create", "--scope", "admin"]),
    ]

    /// Returns standard error. The command must print nothing else.
    private func fingerpost(_ command: Command, data: String) throws -> (status: Int32, lines: [Substring]) {
        let process = Process()
        process.executableURL = RunningServer.products.appending(path: "fingerpost")
        process.arguments = command.words + ["--data", data]
        process.environment = ProcessInfo.processInfo.environment.merging(["FINGERPOST_LOG_LEVEL": "warning"]) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self).split(separator: "\n"))
    }

    private func write(_ bytes: Data, to path: String) throws { try bytes.write(to: URL(filePath: path)) }

    @Test(arguments: commands) func damagedFileIsSixtyFive(_ command: Command) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/service", withIntermediateDirectories: false)
            try write(Data(repeating: 7, count: 8_192), to: directory + "/service/catalog.db")
            let (status, lines) = try fingerpost(command, data: directory)

            #expect(status == 65)
            #expect(
                lines.count == 1 && lines.first?.contains("\(directory)/service/catalog.db is damaged") == true,
                "\(lines)"
            )
        }
    }

    /// Byte 63 of a file counts its migrations.
    @Test(arguments: commands) func newerFileIsSixtyFive(_ command: Command) async throws {
        try await withTemporaryDirectory { directory in
            let tool = RunningServer.products.appending(path: "fingerpost").path
            #expect(try await runBeside(tool, ["migrate", "--data", directory]).status == 0)
            var bytes = try Data(contentsOf: URL(filePath: directory + "/service/catalog.db"))
            bytes[63] = 0x7F
            try write(bytes, to: directory + "/service/catalog.db")
            let (status, lines) = try fingerpost(command, data: directory)

            #expect(status == 65)
            #expect(lines.count == 1 && lines.first?.contains("start a newer version") == true, "\(lines)")
        }
    }

    @Test(arguments: commands) func unusableDirectoryIsSeventyFour(_ command: Command) async throws {
        try await withTemporaryDirectory { directory in
            try write(Data(), to: directory + "/file")
            let (status, lines) = try fingerpost(command, data: directory + "/file")

            #expect(status == 74)
            #expect(lines.count == 1 && lines.first?.contains("\(directory)/file") == true, "\(lines)")
        }
    }

    @Test func folderInPlaceOfTheControlSocketIsSeventyFour() async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            try FileManager.default.createDirectory(
                atPath: data + "/service/control.sock",
                withIntermediateDirectories: true
            )
            let (status, lines) = try fingerpost(Self.commands[0], data: data)

            #expect(status == 74)
            #expect(lines.count == 1 && lines.first?.contains("\(data)/service/control.sock") == true, "\(lines)")
            #expect(!FileManager.default.fileExists(atPath: data + "/service/running"))
        }
    }

    @Test(arguments: ["127.0.0.1:1", "localhost", "", "ftp://127.0.0.1:1", "http://"])
    func addressWithoutASchemeIsSixtyFour(_ server: String) async throws {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let arguments = [tool, "events", "shop", "--key", "k", "--server", server]
        let result = try await runBeside("sh", ["-c", #""$0" "$@" 2>&1"#] + arguments)
        #expect(result.status == 64)
        #expect(String(decoding: result.output, as: UTF8.self).contains("such as http://127.0.0.1:8081"))
    }

    @Test func fileWithoutCountriesIsSeventyEight() async throws {
        try await withTemporaryDirectory { directory in
            let (file, configuration) = (directory + "/countries.mmdb", directory + "/fingerpost.yaml")
            try write(Data("geo: {database: \"\(file)\"}".utf8), to: configuration)
            let serve = Command(words: Self.commands[0].words + ["--config", configuration])
            for bytes in [nil, Data(repeating: 7, count: 8_192)] {
                if let bytes { try write(bytes, to: file) }
                let (status, lines) = try fingerpost(serve, data: directory + "/data")

                #expect(status == 78)
                #expect(lines.count == 1 && lines.first?.contains("geo.database: \(file)") == true, "\(lines)")
            }
            #expect(!FileManager.default.fileExists(atPath: directory + "/data"))
        }
    }

    @Test(arguments: commands) func lockedDirectoryIsExitSeventyFive(_ command: Command) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/service", withIntermediateDirectories: false)
            let lock = open(directory + "/service/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            let (status, lines) = try fingerpost(command, data: directory)

            #expect(status == 75)
            #expect(lines.count == 1 && lines.first?.contains("in use") == true, "\(lines)")
        }
    }

    @Test func exportThatCannotBeWrittenIsSeventyFour() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            try write(Data(), to: directory + "/service/exports")
            let (status, lines) = try fingerpost(Self.export, data: directory)

            #expect(status == 74)
            #expect(lines.count == 1 && lines.first?.contains("\(directory)/service/exports") == true, "\(lines)")
        }
    }
}
