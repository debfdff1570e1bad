import Foundation
import LinkEvents
import TestSupport
import Testing

struct DirectoryExportSinkTests {
    @Test(
        arguments: [
            ("exports", nil), ("missing/exports", nil),
            ("dangling", "/dangling is a symbolic link whose target does not exist; mount its disk, create the"),
            ("dangling/", "/dangling is a symbolic link whose target does not exist"),
            ("dangling/exports", "/dangling is a symbolic link whose target does not exist"),
            ("loop", "/loop: Too many levels of symbolic links; correct the path."),
            ("file", "/file is not a directory; move it, or choose another directory."),
            ("file/exports", "/file/exports: Not a directory; correct the path."),
        ] as [(String, String?)]
    )
    func directoryThatCannotBeUsedIsExplained(_ path: String, _ problem: String?) async throws {
        try await withTemporaryDirectory { directory in
            let files = FileManager.default
            try files.createDirectory(atPath: "\(directory)/exports", withIntermediateDirectories: false)
            try Data().write(to: URL(filePath: "\(directory)/file"))
            try files.createSymbolicLink(
                atPath: "\(directory)/dangling",
                withDestinationPath: "\(directory)/not-mounted"
            )
            try files.createSymbolicLink(atPath: "\(directory)/loop", withDestinationPath: "\(directory)/loop")

            let sink = DirectoryExportSink(directory: "\(directory)/\(path)")
            let found = sink.problem

            #expect(problem.map { found?.hasPrefix(directory + $0) == true } ?? (found == nil), "\(found ?? "none")")
            // A failed export gives the same reason.
            let failure = Self.failure { _ = try sink.create("tenant=a/dt=b/hour=c/events-d") }
            #expect(failure.map { "\($0)." } == found, "\(failure ?? "none")")
        }
    }

    /// The operator's directory may be open to a group, whose members can guess the temporary name.
    @Test func plantedLinkIsNotWrittenThrough() async throws {
        try await withTemporaryDirectory { directory in
            let (target, name) = ("\(directory)/target", "tenant=a/dt=b/hour=c/events-d")
            let files = FileManager.default
            try files.createDirectory(atPath: "\(directory)/tenant=a/dt=b/hour=c", withIntermediateDirectories: true)
            try Data("precious".utf8).write(to: URL(filePath: target))
            try files.createSymbolicLink(atPath: "\(directory)/\(name).partial", withDestinationPath: target)

            try await DirectoryExportSink(directory: directory).write([1], to: name, over: .refused)

            #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
            #expect(try Data(contentsOf: URL(filePath: "\(directory)/\(name)")) == Data([1]))
        }
    }

    /// Who may write to the directory could otherwise read the service's other files through its exports, or block it.
    @Test func plantedFilesAreNotRead() async throws {
        try await withTemporaryDirectory { directory in
            let (secret, root) = ("\(directory)/secret", "\(directory)/exports")
            let files = FileManager.default
            try Data("secret".utf8).write(to: URL(filePath: secret))
            try files.createDirectory(atPath: "\(root)/tenant=a/dt=b/hour=c", withIntermediateDirectories: true)
            let sink = DirectoryExportSink(directory: root)
            try await sink.write([1], to: "tenant=a/dt=b/hour=c/events-d", over: .refused)
            try files.createSymbolicLink(
                atPath: "\(root)/tenant=a/dt=b/hour=c/events-e",
                withDestinationPath: secret
            )
            #expect(mkfifo("\(root)/tenant=a/dt=b/hour=c/events-f", 0o600) == 0)

            #expect(try sink.read("tenant=a/dt=b/hour=c/events-d", from: 0, count: 8) == [1])
            for name in ["events-e", "events-f"] {
                let path = "tenant=a/dt=b/hour=c/\(name)"
                #expect(Self.failure { _ = try sink.read(path, from: 0, count: 8) } != nil, "\(path)")
            }

            try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: root)
            #expect(sink.problem?.contains("run 'chmod o-w \(root)'") == true)
            let refused = Self.failure { _ = try sink.read("tenant=a/dt=b/hour=c/events-d", from: 0, count: 8) }
            #expect(refused?.contains("chmod o-w") == true, "\(refused ?? "none")")
            #expect(Self.failure { _ = try sink.create("tenant=a/dt=b/hour=c/events-h") } == refused)
        }
    }

    private static func failure(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
