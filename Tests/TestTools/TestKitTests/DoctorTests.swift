import Foundation
import LinkCatalog
import LinkRouting
import TestKit
import TestSupport
import Testing

/// The doctor finds what is missing, and its lines make the project pass.
struct DoctorTests {
    private func diagnoses(_ files: [String: String]) throws -> [Diagnosis] {
        try inTemporaryDirectory { directory in
            for (path, text) in files {
                let file = URL(filePath: "\(directory)/\(path)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file)
            }
            let table = try Example.table()
            return ProjectDoctor(try ProjectFolder(directory), router: table.router)
                .diagnoses(of: table.settings.identity.apps)
        }
    }

    private static func plist(_ lines: [String]) -> String {
        "<plist version=\"1.0\"><dict>\n" + lines.joined(separator: "\n") + "\n</dict></plist>"
    }

    @Test func folderWithoutAProjectIsAnError() throws {
        let found = try diagnoses(["README": ""])
        #expect(found.map(\.severity) == [.error])
    }

    @Test func linesForXcodeMakeTheProjectPass() throws {
        let empty = ["App/Info.plist": Self.plist([]), "App/App.entitlements": Self.plist([])]
        let found = try diagnoses(empty).filter { $0.path?.hasPrefix("App/") == true || $0.message.contains("schemes") }
        #expect(found.map(\.severity) == [.error, .error, .error, .warning])
        let fixed = try diagnoses([
            "App/Info.plist": Self.plist(found[0].fix + found[1].fix), "App/App.entitlements": Self.plist(found[2].fix),
            "run.sh": found[3].fix.joined(separator: "\n"),
        ])
        // Only Android is left.
        #expect(fixed.map(\.severity) == [.warning])
    }

    @Test func linesForGradleMakeTheProjectPass() throws {
        let main = { (filters: [String]) in
            "<manifest><uses-permission android:name=\"android.permission.INTERNET\"/><application>"
                + "<activity android:name=\".Main\" android:exported=\"true\">\n\(filters.joined(separator: "\n"))\n"
                + "</activity></application></manifest>"
        }
        let found = try diagnoses(["app/src/main/AndroidManifest.xml": main([])]).filter {
            !$0.message.contains("'ios'")
        }
        #expect(found.map(\.severity) == [.error, .error, .error, .warning])
        let network = found[2].fix.split(separator: "")
        let fixed = try diagnoses([
            "app/src/main/AndroidManifest.xml": main(found[0].fix + found[1].fix),
            "app/src/debug/AndroidManifest.xml": network[0].joined(separator: "\n"),
            "app/src/debug/res/xml/network_security_config.xml": network[1].joined(separator: "\n"),
            "run.sh": found[3].fix[0],
        ])
        #expect(fixed.map(\.severity) == [.warning])
        #expect(fixed.first?.message.contains("'ios'") == true)
    }

    @Test(arguments: [
        ("bplist00", "plutil"), ("<plist><dict>", "has no end"), ("{}", "no element"),
        ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist/>", "declarations"),
    ])
    func unreadablePropertyListIsNamed(_ text: String, _ message: String) throws {
        let found = try diagnoses(["Info.plist": text]).first
        #expect(found?.path == "Info.plist" && found?.severity == .error)
        #expect(found?.message.contains(message) == true, "\(found?.message ?? "")")
    }

    @Test func activityWithoutExportedIsFound() throws {
        let text = "<manifest><application>\n<activity><intent-filter/></activity></application></manifest>"
        let found = try diagnoses(["src/main/AndroidManifest.xml": text]).first { $0.message.contains("exported") }
        #expect(found?.line == 2)
    }

    @Test func domainThatTheTableLacksIsFound() throws {
        let values = ["applinks:www.catalog.example", "applinks:old.example", "applinks:https://x.example"]
        let text = Self.plist(
            ["<key>com.apple.developer.associated-domains</key><array>"] + values.map { "<string>\($0)</string>" } + [
                "</array>"
            ]
        )
        let found = try diagnoses(["a.entitlements": text]).filter { $0.path == "a.entitlements" }.map(\.message)
        #expect(found.contains { $0.contains("'applinks:old.example' is not a domain of the table") })
        #expect(found.contains { $0.contains("only a host can follow the colon") })
    }
}
