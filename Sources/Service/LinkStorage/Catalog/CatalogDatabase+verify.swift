import Crypto
import Foundation
import GRDB
import LinkCatalog

extension CatalogDatabase {
    /// Reads every page, the chain of the audit log, and the tables of all revisions. Returns what is damaged, for operators.
    func faults() async -> [String] {
        do {
            try await pool.read { try StorageFile.checkPages($0) }
            let audit = try await verifyAudit()
            let changed = try await changedTables()
            return (audit.brokenAt.map { ["\(pool.path): the audit log is broken at row \($0)"] } ?? []) + changed
        } catch let damage as StorageError {
            return [damage.description]
        } catch {
            return ["\(pool.path): \(error)"]
        }
    }

    /// Compares each stored table with its hash.
    private func changedTables() async throws -> [String] {
        try await pool.read { [pool] db in
            var faults: [String] = []
            let rows = try Row.fetchCursor(db, sql: "SELECT content, hash, tenant FROM revision_content")
            while let row = try rows.next() {
                let hash = try row.withUnsafeData(atIndex: 0) { Data(SHA256.hash(data: $0 ?? Data())).hexadecimal }
                guard hash != row["hash"] as String else { continue }
                faults.append("\(pool.path): a table of \(row["tenant"] as String) is not as it was published")
            }
            return faults
        }
    }
}
