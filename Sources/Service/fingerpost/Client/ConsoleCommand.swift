import ArgumentParser
import LinkRouting

/// Commands for the pages of the admin port.
struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Open the pages of the admin port.",
        discussion: """
            EXAMPLE
              fingerpost console open

            docs/console.md is the guide.
            """,
        subcommands: [Open.self]
    )

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the address of a page that signs in with a key.",
            discussion: """
                EXAMPLE
                  fingerpost console open --key "$FINGERPOST_KEY"

                The address works once, within five minutes. Whoever opens it may do what the key may; the audit log has the
                key's name.
                """
        )

        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let link = try await admin.client().makeConsoleLink()
            guard let path = link["path"]?.text else {
                throw fail("the server made no link; it may be an older version.", .failed)
            }
            show(link["url"]?.text ?? admin.server + path)
        }
    }
}
