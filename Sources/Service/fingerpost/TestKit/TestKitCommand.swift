import ArgumentParser

struct TestKitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "testkit",
        abstract: "Generate UI tests of links, and check an app's project for them.",
        discussion: """
            EXAMPLES
              fingerpost testkit generate xcuitest suite.yaml --table shop.yaml --out ios
              fingerpost testkit fixtures swift stub --out ios/UITests/Fixtures.swift
              fingerpost testkit probe swift --out ios/App/LinkProbe.swift
              fingerpost testkit doctor . --table shop.yaml

            docs/test-kit.md explains how the parts work together.
            """,
        subcommands: [TestKitGenerate.self, TestKitFixtures.self, TestKitProbe.self, TestKitDoctor.self]
    )
}
