import ArgumentParser
import Foundation
import LinkRouting
import Networking

struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase the events of one install from the log and the exports.",
        discussion: """
            EXAMPLE
              printf %s "$STICKY_KEY" | fingerpost erase shop

            Reads the install's stickyKey from standard input, which keeps it out of process lists and shell history. \
            Needs a tenant with privacy.recordInstall. Exit code 1 when no event of the install was found. docs/operations.md describes what cannot be erased.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let stickyKey = try readText("-").trimmingSuffix(while: \.isNewline)
        guard !stickyKey.isEmpty else {
            throw fail(
                "standard input contains no stickyKey; pipe it in: printf %s KEY | fingerpost erase TENANT",
                .unreadableInput
            )
        }
        let answer = try await reportingRefusals {
            try await admin.client().send(
                .post,
                "tenants/\(tenant)/erasures",
                json: .object(["stickyKey": .string(String(stickyKey))])
            )
        }
        let exports = answer.body["exports"]?.elements ?? []
        let rows = answer.body["rows"]?.int ?? 0
        let isPending = answer.body["finishedAt"] == .null
        guard rows > 0 || !exports.isEmpty || isPending else {
            if json { show(answer.body) }
            throw fail(
                "no event of this install was found, so nothing was erased. The key must be exactly the stickyKey that the "
                    + "app sent; an install that was erased before has no events either.",
                .failed
            )
        }
        guard !json else { return show(answer.body) }
        show("erased \(rows.counted("row")) from the log and rewrote \(exports.count.counted("export"))")
        if isPending {
            show("The other nodes erase theirs within seconds; 'GET …/erasures' says when all have, and how many rows.")
        }
        for name in answer.body["unreadableExports"]?.elements ?? [] {
            show("cannot be read, re-export its window: \(name.text ?? "")")
        }
        for text in answer.body["remains"]?.elements ?? [] { show("not erased: \(text.text ?? "")") }
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> SubSequence {
        var rest = self[...]
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}
