import Foundation
import LinkCatalog

extension CatalogDatabase {
    /// Reads every page, the chain of the audit log, and the tables of all revisions; of a copy not the audit log, which is
    /// in the catalog itself. Returns what is damaged, for operators.
    func faults() async -> [String] {
        do {
            try await file.read { try StorageFile.checkPages($0) }
            let broken = replica == nil ? try await verifyAudit().brokenAt : nil
            let changed = try await changedTables()
            return (broken.map { ["\(local.name): the audit log is broken at row \($0)"] } ?? []) + changed
        } catch let damage as StorageError {
            return [damage.description]
        } catch {
            return ["\(local.name): \(error)"]
        }
    }

    /// Compares each stored table with its hash.
    private func changedTables() async throws -> [String] {
        try await local.read { [name = local.name] db in
            var faults: [String] = []
            try db.forEachRow("SELECT content, hash, tenant FROM revision_content", []) { row in
                guard Self.contentHash(try row["content"]) != (try row["hash"] as String) else { return }
                faults.append("\(name): a table of \(try row["tenant"] as String) is not as it was published")
            }
            return faults
        }
    }
}
