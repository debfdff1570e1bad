import ArgumentParser
import TestKit

struct TestKitProbe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Print LinkProbe, the source file that lets UI tests see which screen an app shows.",
        discussion: """
            EXAMPLES
              fingerpost testkit probe swift --out ios/App/LinkProbe.swift
              fingerpost testkit probe kotlin --package com.example.shop
              fingerpost testkit probe kotlin --package com.example.shop --no-op

            The comment at the beginning of the file says which functions the app calls. Release builds contain no probe: \
            the Swift file has an #if DEBUG, and --no-op prints the same functions in Kotlin without effect.
            """
    )

    @ArgumentParser.Argument(help: "swift or kotlin.") var language: SourceLanguage
    @ArgumentParser.Option(help: "The package of the app's Kotlin code.") var package: String?
    @Flag(help: "Print the functions without effect, for the release builds of an Android app.") var noOp = false
    @ArgumentParser.Option(help: "Write the code to this file instead of printing it.") var out: String?

    func validate() throws {
        switch language {
        case .swift:
            guard package == nil, !noOp else { throw ValidationError("--package and --no-op are for kotlin.") }
        case .kotlin:
            guard let package else { throw ValidationError("Name the package of the app's code with --package.") }
            guard LinkProbe.isPackage(package) else {
                throw ValidationError("'\(package)' is not a package; write one such as com.example.shop.")
            }
        }
    }

    func run() async throws {
        let variant: LinkProbe.Variant =
            switch (language, noOp) {
            case (.swift, _): .swift
            case (.kotlin, false): .kotlin(package: package ?? "")
            case (.kotlin, true): .kotlinNoOp(package: package ?? "")
            }
        if let out { try requireReplaceable(out) }
        try output(LinkProbe.text(variant), to: out)
    }
}
