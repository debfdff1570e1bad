import AppAssociation
import ArgumentParser
import Foundation
import LinkRouting

struct Association: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work with apple-app-site-association and assetlinks.json files.",
        discussion: """
            EXAMPLES
              fingerpost association build --table config/examples/shop.yaml --out public
              fingerpost association simulate apple-app-site-association https://www.acme.com/product/123
            """,
        subcommands: [
            AssociationBuild.self, AssociationValidate.self, AssociationSimulate.self, AssociationDifference.self,
            AssociationDoctor.self, AssociationMigrate.self,
        ]
    )
}

/// The platform of an association file.
enum AssociationPlatform: String, CaseIterable, ExpressibleByArgument {
    case ios, android

    /// The name under which hosts serve the file.
    var fileName: String {
        switch self {
        case .ios: "apple-app-site-association"
        case .android: "assetlinks.json"
        }
    }

    /// Detects the platform: a JSON list is an Android file, anything else an Apple file.
    init(of bytes: [UInt8]) {
        let first = bytes.first { !" \n\r\t".utf8.contains($0) }
        self = first == UInt8(ascii: "[") ? .android : .ios
    }

    func generated(for host: String, _ router: Router) -> [UInt8] {
        switch self {
        case .ios: AppleFileGenerator(host: host, router: router).file()
        case .android: AndroidFileGenerator(host: host, router: router).file()
        }
    }

    func overOpens(for host: String, _ router: Router) -> [Overmatch] {
        switch self {
        case .ios: AppleFileGenerator(host: host, router: router).overOpens()
        case .android: AndroidFileGenerator(host: host, router: router).overOpens()
        }
    }
}

/// Reads a file, or standard input for `-`. Association files need not be UTF-8 to be judged.
func readBytes(_ path: String) throws -> [UInt8] {
    do {
        guard path != "-" else { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
        return Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
        throw fail("\(path) cannot be read: \(error.localizedDescription)", .unreadableInput)
    }
}
