import ArgumentParser
import LinkTable

struct TableKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create, show and rotate the keys that sign tables.",
        discussion: """
            EXAMPLES
              fingerpost table keys create /etc/fingerpost/table.jwk
              fingerpost table keys show /etc/fingerpost/table.jwk
              fingerpost table keys rotate /etc/fingerpost/table.jwk

            FILE is the key that signs (tables.signingKey), and FILE.next is the one that signs after the next \
            rotation. Apps pin both public keys. After a rotation, put the two keys that it prints into the next \
            release of the apps, and rotate again only when that release is out.
            """,
        subcommands: [Create.self, Show.self, Rotate.self]
    )

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create the key that signs and the next key, in files with mode 0600.",
            discussion: """
                EXAMPLE
                  fingerpost table keys create /etc/fingerpost/table.jwk
                """
        )

        @ArgumentParser.Argument(help: "The file of the key. It must not exist.") var file: String

        func run() throws {
            let files = TableKeyFiles(file)
            try files.create()
            try fingerpost.show(files.pinned())
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the public keys that apps pin.",
            discussion: """
                EXAMPLE
                  fingerpost table keys show /etc/fingerpost/table.jwk
                """
        )

        @ArgumentParser.Argument(help: "The file of the key.") var file: String

        func run() throws { try fingerpost.show(TableKeyFiles(file).pinned()) }
    }

    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the next key the one that signs, and create a new next key.",
            discussion: """
                EXAMPLE
                  fingerpost table keys rotate /etc/fingerpost/table.jwk

                Send SIGHUP to the server afterwards. The old signing key is kept as FILE.previous. If FILE.next does \
                not exist, the command creates it and rotates nothing, because no app has the new key yet. If \
                FILE.previous exists, the command needs --released.
                """
        )

        @ArgumentParser.Argument(help: "The file of the key.") var file: String
        @Flag(help: "A release of the apps has the keys that the last rotation printed.") var released = false

        func validate() throws {
            guard !file.hasSuffix(".next") else {
                throw ValidationError("\(file) is the next key; name the key that signs, \(file.dropLast(5)).")
            }
        }

        func run() throws {
            let files = TableKeyFiles(file)
            let isRotated = try files.rotate(isReleased: released)
            try fingerpost.show(
                [
                    isRotated
                        ? "Rotated. Send SIGHUP to the server, which then signs with the new key."
                        : "\(files.nextPath) was missing and was created. Rotate when a release of the apps has it."
                ] + files.pinned()
            )
        }
    }
}
