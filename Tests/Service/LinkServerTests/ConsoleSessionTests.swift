import Foundation
import LinkCatalog
import LinkRouting
import Testing

@testable import LinkServer

/// The sessions of the console, as the admin port lists and ends them.
@Suite(.timeLimit(.minutes(5)))
struct ConsoleSessionTests {
    private func save(_ number: UInt8, of key: String, isLink: Bool = false, _ service: TestService) async throws {
        let now = service.dependencies.linkResolver.now()
        let session = Session(
            hash: Data(repeating: number, count: 32),
            key: KeyID(rawValue: key),
            sealedKey: Data([number]),
            isLink: isLink,
            createdAt: now,
            usedAt: now,
            endsAt: Timestamp(milliseconds: now.milliseconds + 86_400_000)
        )
        try await service.dependencies.store.saveSession(session)
    }

    private func ids(_ session: AdminSession) async throws -> [String] {
        try await session.get("/sessions").json?["sessions"]?.elements?.compactMap { $0["id"]?.text } ?? []
    }

    @Test func keySeesAndEndsTheSessionsOfItsTenant() async throws {
        try await withService { service in
            let boss = try await AdminSession.acme(service)
            let own = try await AdminSession(service, scopes: [.keys]) { $0.tenant = TenantID("acme") }
            let other = try await AdminSession(service) { $0.tenant = TenantID("shop") }
            try await save(1, of: own.id, service)
            try await save(2, of: other.id, service)
            try await save(3, of: own.id, isLink: true, service)

            #expect(try await ids(own) == ["0101010101010101"])
            #expect(Set(try await ids(boss)) == ["0101010101010101", "0202020202020202"])
            let listed = try await own.get("/sessions").json?["sessions"]?.elements?.first
            #expect(listed?["key"]?.text == own.id && listed?["keyName"]?.text == "test")

            let foreign = try await own.delete("/sessions/0202020202020202")
            #expect(foreign.status == 404 && foreign.code == "not_found")
            #expect(try await own.delete("/sessions/0303030303030303").status == 404)
            #expect(try await own.delete("/sessions/0101010101010101").status == 204)
            #expect(try await own.delete("/sessions/0101010101010101").status == 404)
            #expect(try await ids(boss) == ["0202020202020202"])
            let row = try await boss.get("/audit?tenant=acme&limit=1").json?["audit"]?.elements?.first
            #expect(row?["action"]?.text == "end_session" && row?["after"]?["key"]?.text == own.id)
            #expect(row?["actor"]?["id"]?.text == own.id)
        }
    }

    @Test func weakerKeyDoesNotEndTheSessionOfAStrongerOne() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let strong = try await AdminSession(service) { $0.tenant = TenantID("acme") }
            let weak = try await AdminSession(service, scopes: [.keys]) { $0.tenant = TenantID("acme") }
            try await save(1, of: strong.id, service)
            let answer = try await weak.delete("/sessions/0101010101010101")
            #expect(answer.status == 403 && answer.code == "forbidden", "\(answer.text)")
        }
    }

    @Test func sessionEndsWithItsKey() async throws {
        try await withService { service in
            let boss = try await AdminSession.acme(service)
            let person = try await AdminSession(service)
            try await save(1, of: person.id, service)
            #expect(try await ids(boss).count == 1)
            #expect(try await boss.delete("/keys/\(person.id)").status == 200)
            #expect(try await ids(boss) == [])
        }
    }
}
