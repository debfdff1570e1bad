import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// Ending a key also ends the keys that were created with it.
@Suite(.timeLimit(.minutes(15)))
struct KeyLineageTests {
    /// A key created with another key.
    private func child(of parent: AdminSession, scopes: String = #""keys","tables:read""#) async throws -> AdminSession
    {
        let made = try await parent.post("/keys", #"{"name":"child","scopes":[\#(scopes)]}"#)
        #expect(made.status == 201 && made.json?["createdBy"]?.text == parent.id, "\(made.text)")
        return AdminSession(parent.service, made)
    }

    private func works(_ session: AdminSession) async throws -> Bool {
        try await session.get("/keys/\(session.id)").status == 200
    }

    @Test func keysCreatedByAKeyAreRevokedWithIt() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let parent = try await child(of: admin)
            let first = try await child(of: parent)
            let second = try await child(of: first)
            // A key that has ended earlier does not hide the keys created with it.
            #expect(
                try await admin.delete("/keys/\(first.id)?withChildren=false").json?["endedKeys"]?.elements?.isEmpty
                    == true
            )
            #expect(try await works(second))
            let stranger = try await child(of: admin)
            let ended = try await admin.delete("/keys/\(parent.id)")
            #expect(ended.json?["endedKeys"]?.elements?.compactMap(\.text) == [second.id], "\(ended.text)")
            for session in [parent, first, second] { #expect(try await session.get("/keys").code == "invalid_key") }
            #expect(try await works(stranger))
            #expect(try await works(admin))
            let audit = try await admin.get("/audit").json?["audit"]?.elements ?? []
            let revoked = audit.filter { $0["action"]?.text == "key.revoke" }.compactMap { $0["subject"]?.text }
            #expect(Set(revoked) == [parent.id, first.id, second.id])
        }
    }

    @Test func rotationOfAStolenKeyEndsWithIt() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let stolen = try await child(of: admin)
            let rotated = AdminSession(service, try await stolen.post("/keys/\(stolen.id)/rotate"))
            #expect(try await works(rotated))
            _ = try await admin.delete("/keys/\(stolen.id)")
            #expect(try await rotated.get("/keys").code == "invalid_key")
        }
    }

    @Test func rotatedKeyEndsWithWhatItsForerunnerMade() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let old = try await child(of: admin)
            let made = try await child(of: old)
            let new = AdminSession(service, try await admin.post("/keys/\(old.id)/rotate", #"{"graceSeconds":0}"#))
            #expect(try await works(made), "a rotation ends nothing but the old key")
            _ = try await admin.delete("/keys/\(new.id)")
            #expect(try await made.get("/keys").code == "invalid_key")
        }
    }

    @Test func revocationWithoutChildrenEndsOnlyTheKey() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            let parent = try await child(of: admin)
            let made = try await child(of: parent)
            #expect(try await admin.delete("/keys/\(parent.id)?withChildren=maybe").code == "invalid_request")
            #expect(try await works(parent))
            #expect(try await admin.delete("/keys/\(parent.id)?withChildren=false").status == 200)
            #expect(try await parent.get("/keys").code == "invalid_key")
            #expect(try await works(made))
            // It can still be ended through the key that created it.
            #expect(try await admin.delete("/keys/\(parent.id)").json?["endedKeys"]?.elements?.count == 1)
            #expect(try await made.get("/keys").code == "invalid_key")
        }
    }

    @Test func keyCreatedOnTheMachineHasNoCreator() async throws {
        try await withService { service in
            let admin = try await AdminSession.acme(service)
            #expect(try await admin.get("/keys/\(admin.id)").json?["createdBy"] == .null)
        }
    }
}
