import Foundation
import GRDB
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// Responses stored for an `Idempotency-Key` are limited for each actor and each tenant.
struct StoredResponseTests {
    private let now = instant("2026-11-21T10:00:00Z")

    /// Stores one more response beside `count` responses of `bytes` for each of `actors`, all of one tenant. Returns
    /// the remaining numbers.
    private func left(beside count: Int, of actors: Int, bytes: Int) async throws -> (
        all: Int, ofActor: Int, newest: Bool
    ) {
        try await withTemporaryDirectory { directory in
            let database = try CatalogDatabase(directory + "/catalog.db")
            try await database.pool.storing {
                try $0.execute(
                    sql: """
                        WITH RECURSIVE number(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < :count),
                            actor(a) AS (VALUES (1) UNION ALL SELECT a + 1 FROM actor WHERE a < :actors)
                        INSERT INTO repeated_request (actor, key, request_hash, created_at, status, headers, body, tenant)
                        SELECT 'actor-' || a, 'key-' || n, x'00', :time, 200, '{}', zeroblob(:bytes), 'shop' FROM number, actor
                        """,
                    arguments: [
                        "count": count, "actors": actors, "time": now.milliseconds - 1_000, "bytes": bytes,
                    ]
                )
            }
            let request = IdempotentRequest(actor: "actor-1", key: "newest", hash: Data([1]))
            let oldest = Timestamp(milliseconds: now.milliseconds - 86_400_000)
            try await database.keep(
                StoredResponse(status: 201, headers: [:], body: Data(count: bytes)),
                to: request,
                of: tenant("shop"),
                at: now,
                since: oldest
            )
            let counts = try await database.pool.read { db in
                (
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM repeated_request") ?? 0,
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM repeated_request WHERE actor = 'actor-1'") ?? 0
                )
            }
            let isKept: Bool
            if case .answered = try await database.claim(request, at: now, since: oldest) {
                isKept = true
            } else {
                isKept = false
            }
            try database.close()
            return (counts.0, counts.1, isKept)
        }
    }

    @Test(arguments: [(1_000, 10, 1_000), (20, 1 << 20, 16)])
    func newestResponsesOfAnActorAreKept(count: Int, bytes: Int, kept: Int) async throws {
        let left = try await left(beside: count, of: 1, bytes: bytes)
        #expect(left.ofActor == kept && left.newest)
    }

    @Test(arguments: [(900, 5, 10, 4_000), (15, 5, 1 << 20, 64)])
    func newestResponsesOfATenantAreKept(count: Int, actors: Int, bytes: Int, kept: Int) async throws {
        let left = try await left(beside: count, of: actors, bytes: bytes)
        #expect(left.all == kept && left.newest)
    }
}
