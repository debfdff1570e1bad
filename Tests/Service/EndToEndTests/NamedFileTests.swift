import Foundation
import TestSupport
import Testing

/// Writing to a named file does not replace it: a symbolic link stays a link and a pipe stays a pipe.
@Suite(.timeLimit(.minutes(15)))
struct NamedFileTests {
    private static let published =
        #"{"applinks":{"apps":[],"details":{"2XNJA5XN6D.com.medium.reader":{"paths":["NOT /m/callback/*","*"]}}}}"#

    /// Runs a shell script in a new folder. `"$0" $MIGRATE FILE` writes a tenant.
    private func shell(_ script: String) async throws -> (status: Int32, lines: [Substring]) {
        try await withTemporaryDirectory { directory in
            try Data(Self.published.utf8).write(to: URL(filePath: directory + "/published"))
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let start = "cd '\(directory)' && MIGRATE='association migrate published --host medium.com --out' && "
            let result = try await runBeside("sh", ["-c", start + "{ \(script); } 2>&1", tool])
            return (result.status, String(decoding: result.output, as: UTF8.self).split(separator: "\n"))
        }
    }

    @Test func symbolicLinkIsKeptAndItsTargetIsWritten() async throws {
        let result = try await shell(
            #"echo old >file; ln -s file link; "$0" $MIGRATE link && test -L link && test ! -L file && grep -c routes file"#
        )
        #expect(result.status == 0 && result.lines == ["1"], "\(result.lines)")
    }

    @Test func danglingSymbolicLinkIsKeptAndItsTargetIsCreated() async throws {
        let result = try await shell(
            #"ln -s file link; "$0" $MIGRATE link && test -L link && test -f file && grep -c routes file"#
        )
        #expect(result.status == 0 && result.lines == ["1"], "\(result.lines)")
    }

    @Test func pipeIsKeptAndReceivesTheText() async throws {
        let result = try await shell(
            #"mkfifo pipe; cat pipe >copy & "$0" $MIGRATE pipe; test -p pipe || exit 9; wait; grep -c routes copy"#
        )
        #expect(result.status == 0 && result.lines == ["1"], "\(result.lines)")
    }

    @Test func pipeIsRead() async throws {
        let result = try await shell(
            #"cat published | "$0" association migrate /dev/stdin --host medium.com | grep -c routes"#
        )
        #expect(result.status == 0 && result.lines == ["1"], "\(result.lines)")
    }

    /// Whatever its name is.
    @Test func inputIsNotReplaced() async throws {
        let result = try await shell(
            #"ln published other; ln -s other link; "$0" $MIGRATE link; test $? = 64 && grep -c applinks published"#
        )
        #expect(result.status == 0 && result.lines.last == "1", "\(result.lines)")
    }

    @Test func tenantFileIsReplacedOnlyWithForce() async throws {
        let result = try await shell(
            #""$0" $MIGRATE a.yaml && cp a.yaml b && ! "$0" $MIGRATE a.yaml && cmp a.yaml b && "$0" $MIGRATE a.yaml --force"#
        )
        #expect(result.status == 0 && result.lines.count == 1, "\(result.lines)")
    }

    @Test func folderIsSeventyFour() async throws {
        let result = try await shell(#"mkdir folder; "$0" $MIGRATE folder"#)
        #expect(result.status == 74)
        #expect(result.lines.count == 1 && result.lines[0].contains("folder cannot be written"), "\(result.lines)")
    }
}
