import Foundation
import GRDB
import Migrations
import TestSupport
import Testing

@testable import LinkStorage

/// docs/security.md lists each table of the databases with what bounds it.
struct TableBoundsTests {
    @Test func everyTableHasADocumentedBound() throws {
        let root = Repository.folder
        let text = try String(contentsOf: root.appending(path: "docs/security.md"), encoding: .utf8)
        let files = [
            ("catalog.db", Migrations.catalog), ("links.db", Migrations.links), ("a day file", Migrations.events),
            ("ledger.db", Migrations.ledger),
        ]
        var found: Set<String> = []
        for (file, migrations) in files {
            let tables = try DatabaseQueue().inDatabase { db in
                for migration in migrations { try db.execute(sql: migration) }
                return try String.fetchAll(
                    db,
                    sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
                )
            }
            found.formUnion(tables.map { "\(file): \($0)" })
        }
        var documented: Set<String> = []
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 6, let file = files.first(where: { $0.0 == cells[1].replacing("`", with: "") })?.0
            else {
                continue
            }
            #expect(!cells[3].isEmpty && !cells[4].isEmpty, "\(line)")
            for table in cells[2].split(separator: ",") {
                let name = table.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
                #expect(documented.insert("\(file): \(name)").inserted, "\(name) has two lines")
            }
        }
        #expect(found.subtracting(documented) == [], "add a line to docs/security.md, What bounds each table")
        #expect(documented.subtracting(found) == [], "docs/security.md names tables that do not exist")
    }

    /// docs/fleet.md says where each table is if there are several nodes.
    @Test func everyTableHasADocumentedPlace() throws {
        let page = Repository.folder.appending(path: "docs/fleet.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
        let text = (Migrations.catalog + Migrations.links + Migrations.postgresql).joined(separator: "\n")
        let tables = Set(text.matches(of: /CREATE TABLE (\w+) \(/).map { String($0.1) })
        #expect(tables.count > 25)
        for table in tables.sorted() {
            let places = rows.filter { $0.contains("`\(table)`") }
            #expect(places.count == 1, "\(table) has \(places.count) lines in docs/fleet.md, Where each thing is")
            #expect(places.allSatisfy { $0.contains(" yes ") }, "\(table) has no place")
        }
    }
}
