import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Testing

/// Retention and erasures over the admin port.
@Suite(.timeLimit(.minutes(15)))
struct RetentionServiceTests {
    private static let day: Int64 = 86_400

    /// A tenant with a retention of one day and hourly exports, unless `export` says otherwise.
    private func acme(_ service: TestService, export: String = "hourly") async throws -> AdminSession {
        let session = try await AdminSession.acme(service)
        let settings =
            AdminSession.settings + "\nretentionDays: 1\nexport: {schedule: \(export)}\nprivacy: {recordInstall: true}"
        #expect(try await session.put("settings", yaml: settings).status == 200)
        return session
    }

    private func resolve(_ service: TestService, _ item: Int, stickyKey: String = "install-42") async throws {
        let body = #"{"url": "acme://item/\#(item)", "context": {"platform": "ios", "stickyKey": "\#(stickyKey)"}}"#
        #expect(try await service.resolve(body).status == 200)
    }

    private func rows(_ answer: TestResponse, _ state: String) -> [String] {
        (answer.json?[state]?.elements ?? []).map { "\($0["day"]?.text ?? "") \($0["rows"]?.int ?? 0)" }
    }

    private func audited(_ session: AdminSession, _ action: String) async throws -> [JSONNode] {
        (try await session.get("/audit").json?["audit"]?.elements ?? []).filter { $0["action"]?.text == action }
    }

    /// A pass after a jump of the clock removes nothing.
    @Test func endedKeysAreRemovedAfterAMonth() async throws {
        try await withService { service in
            let session = try await acme(service)
            let ended = try await AdminSession(service)
            #expect(try await session.delete("/keys/\(ended.id)").status == 200)
            for (days, status) in [(0, 200), (20, 200), (11, 404)] as [(Int64, Int)] {
                service.clock.advance(seconds: days * Self.day)
                #expect(try await session.post("retention").status == 200)
                #expect(try await session.get("/keys/\(ended.id)").status == status, "\(days)")
            }
            let other = try await AdminSession(service)
            #expect(try await session.delete("/keys/\(other.id)").status == 200)
            service.clock.advance(seconds: 400 * Self.day)
            #expect(try await session.post("retention").status == 200)
            #expect(try await session.get("/keys/\(other.id)").status == 200)
        }
    }

    @Test func retentionWaitsForExportsAndForceIsAudited() async throws {
        try await withService { service in
            let session = try await acme(service)
            try await resolve(service, 1)
            try await resolve(service, 2)
            service.clock.advance(seconds: 3 * Self.day)
            let applied = try await session.post("retention")
            #expect(rows(applied, "waiting") == ["2026-11-21 2"])
            #expect(rows(applied, "dropped").isEmpty)
            #expect(rows(try await session.get("retention"), "waiting") == ["2026-11-21 2"])
            #expect(try await service.events(of: "acme").count == 2)

            #expect(try await session.post("retention", #"{"force": {}}"#).status == 400)
            #expect(try await session.post("retention", #"{"force": {"reason": ""}}"#).code == "invalid_request")
            #expect(try await audited(session, "force_retention").isEmpty)
            let forced = try await session.post("retention", #"{"force": {"reason": "the bucket is gone"}}"#)
            #expect(rows(forced, "dropped") == ["2026-11-21 2"])
            #expect(try await service.events(of: "acme").isEmpty)
            let row = try #require(try await audited(session, "force_retention").first)
            #expect(row["after"]?["reason"]?.text == "the bucket is gone")
            #expect(row["after"]?["waiting"]?.elements?.first?["rows"]?.int == 2)
            #expect(row["tenant"]?.text == "acme")
        }
    }

    @Test func exportedRowsAreDropped() async throws {
        try await withService { service in
            let session = try await acme(service)
            try await resolve(service, 1)
            #expect(try await session.post("exports").status == 201)
            service.clock.advance(seconds: Self.day)
            #expect(rows(try await session.post("retention"), "kept") == ["2026-11-21 1"])
            service.clock.advance(seconds: Self.day)
            #expect(rows(try await session.post("retention"), "dropped") == ["2026-11-21 1"])
            #expect(rows(try await session.get("retention"), "kept").isEmpty)
        }
    }

    @Test func erasureTakesAnInstallOutOfLogAndExports() async throws {
        try await withService { service in
            let session = try await acme(service)
            try await resolve(service, 1)
            try await resolve(service, 2, stickyKey: "somebody else")
            let export = try #require(try await session.post("exports").json?["name"]?.text)
            try await resolve(service, 3)
            let erased = try await session.post("erasures", #"{"stickyKey": "install-42"}"#)
            #expect(erased.status == 201)
            #expect(erased.json?["rows"]?.int == 2)
            #expect(erased.json?["exports"]?.elements?.map { $0["name"]?.text } == [export])
            #expect(erased.json?["exports"]?.elements?.first?["rows"]?.int == 1)
            #expect(try await service.events(of: "acme").map(\.parameters) == [#"{"id":2}"#])
            let manifests = try await session.get("exports").json?["exports"]?.elements ?? []
            #expect(manifests.map { $0["rows"]?.int } == [1])

            let listed = try await session.get("erasures").json?["erasures"]?.elements ?? []
            #expect(listed.map { $0["rows"]?.int } == [2])
            #expect(listed.first?["finishedAt"]?.text != nil)
            let row = try #require(try await audited(session, "erase_install").first)
            #expect(!row.json().contains("install-42"))
            // The erasure can be repeated, and later events of the install are recorded again.
            #expect(try await session.post("erasures", #"{"stickyKey": "install-42"}"#).json?["rows"]?.int == 0)
            try await resolve(service, 4)
            #expect(try await service.events(of: "acme").count == 2)
        }
    }

    @Test func erasureArchivesTheShortLinksOfTheInstall() async throws {
        try await withService { service in
            let session = try await acme(service)
            try await resolve(service, 1)
            let acme = try #require(TenantID("acme"))
            let code = try #require(ShortCode("spring"))
            let install = try #require(try await service.dependencies.store.install(of: "install-42", tenant: acme))
            let links = service.dependencies.shortLinks
            let new = NewShortLink(
                code: code,
                content: ShortLink.Content(target: "https://go.acme.test/item/7"),
                createdAt: service.clock.now,
                createdBy: .system,
                install: Data(install.bytes)
            )
            _ = try await links.create([new], of: acme)
            #expect(try await session.post("erasures", #"{"stickyKey": "other"}"#).status == 201)
            #expect(try await links.link(code, of: acme, ignoringCase: false)?.status == .active)
            #expect(try await session.post("erasures", #"{"stickyKey": "install-42"}"#).status == 201)
            let erased = try await links.link(code, of: acme, ignoringCase: false)
            #expect(erased?.status == .archived && erased?.install == nil)
        }
    }

    @Test func erasureThatWasBegunIsEnded() async throws {
        try await withService { service in
            let session = try await acme(service)
            let acme = try #require(TenantID("acme"))
            try await resolve(service, 1)
            let install = try #require(try await service.dependencies.store.install(of: "install-42", tenant: acme))
            _ = try await service.log.beginErasure(of: install, tenant: acme, requestID: "r", at: service.clock.now)
            try await service.dependencies.eraser.finishBegun()
            #expect(try await service.events(of: "acme").isEmpty)
            let listed = try await session.get("erasures").json?["erasures"]?.elements ?? []
            #expect(listed.first?["finishedAt"]?.text != nil)
        }
    }

    @Test func erasureThatCannotBeEndedStopsNoOther() async throws {
        try await withService { service in
            let exports = service.directory + "/exports"
            try FileManager.default.createDirectory(atPath: exports, withIntermediateDirectories: true)
            // A symbolic link to itself is a folder that cannot be opened.
            let folder = exports + "/tenant=acme"
            try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: folder)
            let install = try #require(InstallID("0123456789abcdef0123456789abcdef"))
            for name in ["shop", "acme", "blogs"] {
                let tenant = try #require(TenantID(name))
                _ = try await service.log.beginErasure(
                    of: install,
                    tenant: tenant,
                    requestID: "r",
                    at: service.clock.now
                )
            }
            try await service.dependencies.eraser.finishBegun()
            let unfinished = try await service.log.erasures(of: nil).filter { $0.finishedAt == nil }
            #expect(unfinished.map(\.tenant.rawValue) == ["acme"])
        }
    }

    /// A damaged file is a server error, not the client's.
    @Test func manifestThatCannotBeReadIsTheServersMatter() async throws {
        try await withService { service in
            let session = try await acme(service)
            try await resolve(service, 1)
            let name = try #require(try await session.post("exports").json?["name"]?.text)
            let path = service.directory + "/exports/\(name).manifest.json"
            try Data("no manifest".utf8).write(to: URL(filePath: path))
            let window = name.split(separator: "/").dropFirst().joined(separator: "/")
            for answer in [try await session.get("exports"), try await session.post("exports/\(window)")] {
                #expect(answer.status == 503 && answer.code == "storage_unavailable")
                #expect(answer.json?["detail"]?.text?.contains(name) == true)
            }
            let erased = try await session.post("erasures", #"{"stickyKey": "install-42"}"#)
            #expect(erased.status == 201)
            #expect(erased.json?["unreadableExports"]?.elements?.map(\.text) == [name])
        }
    }

    @Test func erasureWithoutRecordedInstallsIsRefused() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let answer = try await session.post("erasures", #"{"stickyKey": "install-42"}"#)
            #expect(answer.status == 409)
            #expect(answer.code == "installs_not_recorded")
            #expect(try await audited(session, "erase_install").isEmpty)
            #expect(try await session.post("erasures", "{}").status == 400)
        }
    }
}
