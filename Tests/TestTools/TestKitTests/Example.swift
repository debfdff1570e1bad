import Foundation
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import TestKit

/// The folder config/examples/testkit.
enum Example {
    static let folder = Repository.file("config/examples/testkit")

    static func text(_ file: String) throws -> String {
        try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }

    static func table(_ text: String) throws -> PublishedTable {
        let document = try TenantDocument(text)
        let checked = document.checked()
        try #require(checked.findings.filter { $0.severity == .error } == [])
        return PublishedTable(
            tenant: try #require(document.tenant),
            environment: .production,
            revision: nil,
            settingsRevision: 0,
            settings: try #require(checked.settings),
            table: try #require(checked.table)
        )
    }

    static func table() throws -> PublishedTable { try table(try text("catalog.yaml")) }

    static func suite(_ platform: Platform) throws -> DeviceSuite {
        try suite(try text("catalog.suite.yaml"), of: try table(), platform)
    }

    static func suite(_ text: String, of table: PublishedTable, _ platform: Platform) throws -> DeviceSuite {
        let app = try #require(table.settings.identity.apps.first { $0.platform == platform })
        return try DeviceSuite(
            try LinkSuite(text),
            file: "catalog.suite.yaml",
            of: table,
            app: app,
            now: Timestamp(milliseconds: 0)
        )
    }
}
