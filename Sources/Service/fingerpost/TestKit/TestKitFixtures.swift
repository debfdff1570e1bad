import ArgumentParser
import TestKit

struct TestKitFixtures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fixtures",
        abstract: "Print typed access to the files of a stub server, as one source file.",
        discussion: """
            EXAMPLES
              fingerpost testkit fixtures swift stub --out ios/UITests/Fixtures.swift
              fingerpost testkit fixtures kotlin stub --package com.example.shop

            DIR is the folder that 'fingerpost stub DIR' serves. Each file in DIR/__files becomes a case, and a JSON file \
            also a type, so that a test compares with the data that the stub serves. The same files always give the \
            same names.
            JSON with an error, and files whose names are equal in code, are reported with file, line and column. Nothing \
            is written then.

            EXIT CODES
              0 success
              65 a file is wrong or cannot be read
              74 the output cannot be written
            """
    )

    @ArgumentParser.Argument(help: "swift or kotlin.") var language: SourceLanguage
    @ArgumentParser.Argument(help: "The folder of the stub server.") var dir: String
    @ArgumentParser.Option(help: "The package of Kotlin code.") var package: String?
    @ArgumentParser.Option(help: "Write the code to this file instead of printing it.") var out: String?

    func validate() throws {
        guard package.map(LinkProbe.isPackage) ?? true else {
            throw ValidationError("'\(package ?? "")' is not a package; write one such as com.example.shop.")
        }
        guard package == nil || language == .kotlin else { throw ValidationError("--package is for kotlin.") }
    }

    func run() async throws {
        let folder: FixtureFolder
        do throws(FixtureFolder.Unreadable) {
            folder = try FixtureFolder(of: dir)
        } catch {
            throw fail(error.description, .unreadableInput)
        }
        if let out {
            try requireReplaceable(out, inputs: folder.files.map { "\(dir)/\(FixtureFolder.name)/\($0.path)" })
        }
        guard folder.problems.isEmpty else {
            let lines = folder.problems.map { "\(dir)/\($0.description)" }
            throw fail(
                "\(folder.problems.count.counted("file")) cannot become a fixture:",
                .unreadableInput,
                more: lines
            )
        }
        let code = FixtureCode(folder, in: language, package: package ?? "")
        for note in folder.notes + code.notes { warn("\(dir)/\(note.description)") }
        try output(code.text, to: out)
    }
}

extension SourceLanguage: ExpressibleByArgument {}

/// Writes a generated document to a file, or prints it.
func output(_ text: String, to path: String?) throws {
    guard let path else { return show(document: text) }
    try write(text, toFile: path)
}
