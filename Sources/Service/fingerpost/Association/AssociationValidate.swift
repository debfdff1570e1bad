import AppAssociation
import ArgumentParser
import Foundation
import LinkRouting

struct AssociationValidate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check association files, and explain what each problem means on a device.",
        discussion: """
            EXAMPLES
              fingerpost association validate apple-app-site-association
              fingerpost association validate public --sarif > association.sarif
              curl -s https://www.acme.com/.well-known/assetlinks.json |
                fingerpost association validate -

            In a directory, every file named apple-app-site-association or assetlinks.json is checked, also with .json \
            appended.
            Exit code 1 when there is an error, 0 otherwise.
            """
    )

    @ArgumentParser.Argument(help: "Files or directories; - reads standard input.") var paths: [String]
    @ArgumentParser.Option(help: "ios or android (default: by the name of each file, else by its content).")
    var platform: AssociationPlatform?
    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Print SARIF 2.1.0, which code hosts show in reviews.") var sarif = false

    func validate() throws {
        guard !json || !sarif else { throw ValidationError("Use either --json or --sarif, not both.") }
    }

    func run() async throws {
        let files = try paths.flatMap(Self.files).map { path in
            let bytes = try readBytes(path)
            return AssociationReport.File(
                path,
                findings(in: bytes, of: path),
                bytes: SignedFile.content(of: bytes) ?? bytes
            )
        }
        let report = AssociationReport(files)
        if sarif {
            show(json: report.sarif(version: BuildInfo.version, .pretty))
        } else {
            json ? show(json: report.json()) : show(report.lines)
        }
        if report.severity == .error { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func findings(in bytes: [UInt8], of path: String) -> [AssociationFinding] {
        switch platform ?? AssociationPlatform(of: bytes, named: path) {
        case .ios: AppleAppSiteAssociation.validate(bytes)
        case .android: AssetLinks.validate(bytes)
        }
    }

    /// Returns a file's own path, or the sorted association files in a directory.
    private static func files(_ path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
        else {
            return [path]
        }
        let names = AssociationPlatform.allCases.flatMap { [$0.fileName, "\($0.fileName).json"] }
        let found = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        let files = found.filter { names.contains(($0 as NSString).lastPathComponent) }.sorted().map { "\(path)/\($0)" }
        guard !files.isEmpty else {
            throw fail(
                "\(path) contains no file named apple-app-site-association or assetlinks.json; name the files themselves.",
                .unreadableInput
            )
        }
        return files
    }
}
