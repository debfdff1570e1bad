import CatalogSupport
import Foundation
import LinkCatalog
import LinkRouting
import LinkStorage
import PostgresStorage
import TestSupport
import Testing

/// Sessions of the console, in SQLite and in PostgreSQL.
struct SessionStoreTests {
    private static let start = instant("2026-11-29T10:00:00Z")
    private static let key = KeyID(rawValue: "AAAAAAAAAAAA")

    private static func later(_ seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: start.milliseconds + seconds * 1_000)
    }

    private func session(
        _ number: UInt8,
        key: KeyID = Self.key,
        isLink: Bool = false,
        from begin: Int64 = 0,
        lasting seconds: Int64 = 30 * 86_400
    ) -> Session {
        Session(
            hash: Data(repeating: number, count: 32),
            key: key,
            sealedKey: Data([1, 2, 0, number]),
            isLink: isLink,
            createdAt: Self.later(begin),
            usedAt: Self.later(begin),
            endsAt: Self.later(begin + seconds)
        )
    }

    private func withStores(_ body: (any SessionStore) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let own = try CatalogDatabase("\(directory)/catalog.db")
            try await body(own)
            try own.close()
            guard TestPostgres.folder != nil else { return }
            let store = try await TestPostgres.makeStore()
            let shared = try CatalogDatabase(store, copy: "\(directory)/copy.db", node: "a")
            try await body(shared)
            try shared.close()
        }
    }

    @Test func sessionsAreFoundUntilTheyEnd() async throws {
        try await withStores { store in
            let (one, short, link) = (session(1), session(2, lasting: 60), session(3, isLink: true, lasting: 300))
            for session in [one, short, link] { try await store.saveSession(session) }
            #expect(try await store.session(one.hash, at: Self.start) == one)
            #expect(try await store.session(link.hash, at: Self.later(299)) == link)
            #expect(try await store.session(short.hash, at: Self.later(60)) == nil)
            #expect(one.id == "0101010101010101" && link.id == "0303030303030303")
            #expect(try await store.session(Data(repeating: 9, count: 32), at: Self.start) == nil)
            #expect(try await store.sessions(of: Self.key, at: Self.start).map(\.hash) == [one.hash, short.hash])
            #expect(try await store.sessions(of: KeyID(rawValue: "BBBBBBBBBBBB"), at: Self.start) == [])
            #expect(try await store.sessions(of: nil, at: Self.later(61)).map(\.hash) == [one.hash])

            let idle = Session.idle / 1_000
            try await store.noteUse(of: one, at: Self.later(idle - 1))
            #expect(try await store.session(one.hash, at: Self.later(idle + 60))?.usedAt == Self.later(idle - 1))
            #expect(try await store.session(one.hash, at: Self.later(2 * idle)) == nil)
            // Nobody ends a session twice.
            #expect(try await store.removeSession(link.hash))
            #expect(try await !store.removeSession(link.hash))
            #expect(try await store.session(link.hash, at: Self.start) == nil)
        }
    }

    @Test func aFurtherSessionEndsTheOldestOfItsKey() async throws {
        try await withStores { store in
            let other = session(255, key: KeyID(rawValue: "BBBBBBBBBBBB"))
            try await store.saveSession(other)
            for number in 0...UInt8(Session.maximumOfKey) {
                try await store.saveSession(session(number, from: Int64(number)))
            }
            let kept = try await store.sessions(of: Self.key, at: Self.later(100))
            #expect(kept.count == Session.maximumOfKey && !kept.contains { $0.hash == session(0).hash })
            #expect(try await store.session(other.hash, at: Self.later(100)) == other)
            // Links that nobody has used end no session.
            for number in 100...(100 + UInt8(Session.maximumOfKey)) {
                try await store.saveSession(session(number, isLink: true, from: 60 + Int64(number)))
            }
            #expect(try await store.sessions(of: Self.key, at: Self.later(100)).count == Session.maximumOfKey)
        }
    }
}
