import ArgumentParser

struct AssociationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "association",
        abstract: "Work with apple-app-site-association and assetlinks.json files.",
        discussion: """
            EXAMPLES
              fingerpost association build --table config/examples/shop.yaml --out public
              fingerpost association simulate apple-app-site-association \\
                https://www.acme.com/product/123
            """,
        subcommands: [
            AssociationBuild.self, AssociationValidate.self, AssociationSimulate.self, AssociationDifference.self,
            AssociationDoctor.self, AssociationMigrate.self, AssociationManifest.self,
            AssociationFingerprint.self, AssociationEntitlements.self,
        ]
    )
}

extension AssociationPlatform: ExpressibleByArgument {}
