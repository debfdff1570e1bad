import Foundation
import LinkRouting
import TestSupport
import Testing

/// `fingerpost association migrate` as users run it.
struct AssociationMigrateTests {
    private struct Output {
        let status: Int32
        let text: String
        let errors: String
    }

    private func fingerpost(_ arguments: String..., input: String = "") throws -> Output {
        let process = Process()
        process.executableURL = RunningServer.products.appending(path: "fingerpost")
        process.arguments = arguments
        let (input, text) = (Pipe(), input)
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        // Both outputs fit into the pipes' buffers, so neither can block the process.
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Output(
            status: process.terminationStatus,
            text: String(decoding: bytes, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self)
        )
    }

    private static func file(_ paths: String) -> String {
        #"{"applinks":{"apps":[],"details":{"2XNJA5XN6D.com.medium.reader":{"paths":[\#(paths)]}}}}"#
    }

    private static let magazine = file(
        #""NOT /m/callback/*","NOT /m/connect/*","NOT /m/account/*","NOT /m/oauth/*","NOT /m/global-identity","*""#
    )

    @Test func migratedTenantPassesCheckAndResolves() async throws {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/apple-app-site-association"
            try Data(Self.magazine.utf8).write(to: URL(filePath: file))
            for name in ["tenant.yaml", "tenant.json"] {
                let tenant = "\(directory)/\(name)"
                let migrated = try fingerpost("association", "migrate", file, "--host", "medium.com", "--out", tenant)
                #expect(migrated.status == 0 && migrated.text.isEmpty && migrated.errors.isEmpty)
                #expect(try fingerpost("check", tenant).status == 0)
                for (path, action) in [("/m/callback/email", "open_web"), ("/@someone/a-story", "open_app")] {
                    let answer = try fingerpost(
                        "resolve",
                        "https://medium.com\(path)",
                        "--table",
                        tenant,
                        "--context",
                        #"{"platform": "ios"}"#,
                        "--json"
                    )
                    #expect(answer.text.contains(#""action":"\#(action)""#), "\(answer.text)")
                }
            }
        }
    }

    @Test func tenantIsPrintedAsYAML() throws {
        let printed = try fingerpost(
            "association",
            "migrate",
            "-",
            "--host",
            "medium.com",
            "--tenant",
            "magazine",
            input: Self.magazine
        )

        #expect(printed.status == 0)
        #expect(printed.text.hasPrefix("formatVersion: 1\ntenant: magazine\nsettings:\n"))
    }

    @Test func unresolvedRulePreventsTheMigration() async throws {
        try await withTemporaryDirectory { directory in
            let (file, tenant) = ("\(directory)/apple-app-site-association", "\(directory)/tenant.yaml")
            try Data(Self.file(#""/a/*","/x/*/y""#).utf8).write(to: URL(filePath: file))
            let refused = try fingerpost("association", "migrate", file, "--host", "medium.com", "--out", tenant)

            #expect(refused.status == 1 && refused.text.isEmpty)
            #expect(refused.errors.contains("\(file):1:83: error grammar"))
            #expect(refused.errors.contains("https://medium.com/x/x/x/y"))
            #expect(!FileManager.default.fileExists(atPath: tenant))

            let partial = try fingerpost(
                "association",
                "migrate",
                file,
                "--host",
                "medium.com",
                "--out",
                tenant,
                "--partial"
            )
            #expect(partial.status == 1)
            #expect(try fingerpost("check", tenant).status == 0)
        }
    }

    @Test func jsonHoldsTheReports() throws {
        let answer = try fingerpost(
            "association",
            "migrate",
            "-",
            "--host",
            "medium.com",
            "--json",
            input: Self.file(#""*","NOT /x""#)
        )
        let json = try JSONReader.parse(answer.text, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        let report = try #require(json["reports"]?.elements?.first)

        #expect(answer.status == 0 && json["complete"]?.bool == true)
        #expect(report["kind"]?.text == "unreachable" && report["unresolved"]?.bool == false)
        #expect(report["pointer"]?.text == "/applinks/details/2XNJA5XN6D.com.medium.reader/paths/1")
        #expect(json["document"]?["table"]?["routes"]?.elements?.count == 1)
    }

    @Test func wrongInputIsReported() throws {
        let broken = try fingerpost("association", "migrate", "-", "--host", "medium.com", input: "{\n\"applinks\": }")
        #expect(broken.status == 65 && broken.errors.contains("line 2, column 13"))
        let app = try fingerpost(
            "association",
            "migrate",
            "-",
            "--host",
            "medium.com",
            "--app",
            "A.b",
            input: Self.magazine
        )
        #expect(app.status == 65 && app.errors.contains("it names 2XNJA5XN6D.com.medium.reader"))
        #expect(try fingerpost("association", "migrate", "-", input: Self.magazine).status == 64)
    }

    @Test func helpHasAnExample() throws {
        let help = try fingerpost("association", "migrate", "--help")

        #expect(help.status == 0 && help.text.contains("fingerpost association migrate "))
        #expect(help.text.contains("EXIT CODES"))
    }
}
