import ArgumentParser
import Foundation
import LinkRouting
import OutboundHTTP

struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Erase what was recorded of one install, in the log and in the exports.",
        discussion: """
            EXAMPLE
              printf %s "$STICKY_KEY" | fingerpost erase shop

            Reads the install's stickyKey from standard input, so that it stands in no list of processes and no history. Needs
            a tenant with privacy.recordInstall. docs/operations.md tells what cannot be erased.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let stickyKey = try readText("-").trimmingSuffix(while: \.isNewline)
        guard !stickyKey.isEmpty else {
            throw fail(
                "standard input holds no stickyKey; pipe it in: printf %s KEY | fingerpost erase TENANT",
                .unreadableInput
            )
        }
        let answer = try await tellingRefusals {
            try await admin.client().send(
                .post,
                "tenants/\(tenant)/erasures",
                json: .object(["stickyKey": .string(String(stickyKey))])
            )
        }
        guard !json else { return show(answer.body) }
        let exports = answer.body["exports"]?.elements ?? []
        show("erased \(answer.body["rows"]?.int ?? 0) rows of the log and rewrote \(exports.count) exports")
        for name in answer.body["unreadableExports"]?.elements ?? [] {
            show("could not be read, export its window again: \(name.text ?? "")")
        }
        for text in answer.body["remains"]?.elements ?? [] { show("stays: \(text.text ?? "")") }
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> SubSequence {
        var rest = self[...]
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}
