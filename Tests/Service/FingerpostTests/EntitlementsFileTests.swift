import Foundation
import LinkRouting
import TestSupport
import Testing
import fingerpost

/// The associated domains of an app, compared with the domains of the settings.
struct EntitlementsFileTests {
    private func remarks(_ values: [String], domains: [Domain] = [], app domainNames: Set<String>? = nil) throws
        -> [String]
    {
        let list = ["com.apple.developer.associated-domains": values]
        let entitlements = try entitlements(
            PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        )
        let id = try #require(AppID("ios"))
        let app = RegisteredApp(id: id, product: .ios(teamID: "ABCDE12345", bundleID: "com.acme"), domains: domainNames)
        return entitlements.remarks(domains.isEmpty ? nil : (app, domains)).map {
            $0.line.replacing(/[^ ]*\/app.entitlements/, with: "FILE")
        }
    }

    private func entitlements(_ data: Data) throws -> EntitlementsFile {
        try inTemporaryDirectory { directory in
            let file = URL(filePath: directory).appending(path: "app.entitlements")
            try data.write(to: file)
            return try EntitlementsFile(file.path)
        }
    }

    private static func domain(_ host: String, isWildcard: Bool = false) -> Domain {
        Domain(host: host, unicodeHost: host, coversSubdomains: isWildcard, port: nil, serves: .association)
    }

    private static let domains = [domain("www.acme.com"), domain("acme.com", isWildcard: true)]

    @Test func completeListHasNoRemarks() throws {
        #expect(
            try remarks(
                ["applinks:www.acme.com", "applinks:*.acme.com", "webcredentials:x.com"],
                domains: Self.domains
            ) == []
        )
        // A wildcard includes the subdomain.
        #expect(try remarks(["applinks:*.acme.com"], domains: Self.domains) == [])
        // Domains that the app does not have are not missing.
        #expect(try remarks(["applinks:www.acme.com"], domains: Self.domains, app: ["www.acme.com"]) == [])
    }

    @Test func differencesAreNamedInBothDirections() throws {
        #expect(
            try remarks(["applinks:www.acme.com", "applinks:old.acme.com"], domains: Self.domains) == [
                "error: FILE: the app 'ios' does not open links of *.acme.com. Add 'applinks:*.acme.com'.",
                "warning: FILE: 'applinks:old.acme.com' is not a domain of the settings, so Fingerpost generates no file for it. "
                    + "Add it to 'domains', or remove the value.",
            ]
        )
    }

    @Test func valuesAreCheckedWithoutSettings() throws {
        let found = try remarks(["https://www.acme.com/", "applinks:www.acme.com?mode=developer"])
        #expect(found.count == 2)
        #expect(
            found.first?.hasPrefix("error: ") == true && found.first?.contains("Write 'applinks:www.acme.com'") == true
        )
        #expect(found.last?.hasPrefix("warning: ") == true)
    }

    @Test(arguments: [
        ("hello", "is not a property list"), ("<plist><dict></dict></plist>", "has no 'com.apple.developer"),
        (
            "<plist><dict><key>com.apple.developer.associated-domains</key><string>applinks:a</string></dict></plist>",
            "must be an array of strings"
        ),
    ])
    func otherFileIsExplained(_ text: String, _ message: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try entitlements(Data(text.utf8)) }
        #expect(failure?.lines.first?.contains(message) == true, "\(failure?.lines ?? [])")
    }
}
