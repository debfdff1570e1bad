import Foundation
import GRDB
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func beginRequest(
        _ request: RepeatedRequest,
        at now: Timestamp,
        oldest: Timestamp
    ) async throws -> KnownRequest {
        try await pool.write { db in
            try db.execute(
                sql: "DELETE FROM repeated_request WHERE created_at < ?",
                arguments: [oldest.milliseconds]
            )
            let known = try Row.fetchOne(
                db,
                sql: "SELECT request_hash, status, headers, body FROM repeated_request WHERE actor = ? AND key = ?",
                arguments: [request.actor, request.key]
            )
            guard let known else {
                try db.execute(
                    sql: "INSERT INTO repeated_request (actor, key, request_hash, created_at) VALUES (?, ?, ?, ?)",
                    arguments: [request.actor, request.key, request.hash, now.milliseconds]
                )
                return .new
            }
            guard known["request_hash"] as Data == request.hash else { return .other }
            guard let status = known["status"] as Int? else { return .unfinished }
            let headers = try Self.content(known["headers"] ?? "{}").members ?? []
            return .answered(
                StoredAnswer(
                    status: status,
                    headers: Dictionary(headers.map { ($0.key, $0.value.text ?? "") }) { first, _ in first },
                    body: known["body"] ?? Data()
                )
            )
        }
    }

    package func endRequest(_ request: RepeatedRequest, with answer: StoredAnswer?) async throws {
        try await pool.write { db in
            guard let answer else {
                try db.execute(
                    sql: "DELETE FROM repeated_request WHERE actor = ? AND key = ?",
                    arguments: [request.actor, request.key]
                )
                return
            }
            let headers = answer.headers.sorted { $0.key < $1.key }.map { JSONNode.Member($0.key, .string($0.value)) }
            try db.execute(
                sql: "UPDATE repeated_request SET status = ?, headers = ?, body = ? WHERE actor = ? AND key = ?",
                arguments: [
                    answer.status, JSONNode(.object(headers)).json(), answer.body, request.actor, request.key,
                ]
            )
        }
    }
}
