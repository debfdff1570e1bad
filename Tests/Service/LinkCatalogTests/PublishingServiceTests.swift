import Foundation
import LinkCatalog
import LinkRouting
import LinkServer
import LinkStorage
import Synchronization
import Testing

/// A change that fails its checks changes nothing. A change that passes is live when the call returns.
final class PublishingServiceTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "catalog-\(UUID().uuidString)").path
    private let store: CatalogDatabase
    private let live = Live()
    private let publishing: PublishingService
    private let shop: TenantID
    private let change = AuditContext(
        actor: Actor(kind: .person, id: "anna", name: "Anna"),
        at: Timestamp(milliseconds: 1_795_255_200_000),
        requestID: "r1"
    )

    private final class Live: Sendable {
        private let catalogs = Mutex<[Catalog]>([])
        var count: Int { catalogs.withLock(\.count) }
        var last: Catalog? { catalogs.withLock(\.last) }
        func append(_ snapshot: CatalogSnapshot) throws {
            let catalog = snapshot.catalog(reusing: last ?? Catalog())
            catalogs.withLock { $0.append(catalog) }
        }
    }

    init() throws {
        shop = try #require(TenantID("shop"))
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        store = try CatalogDatabase(directory + "/catalog.db")
        let live = live
        publishing = Self.publishing(store) { try live.append($0) }
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func publishing(
        _ store: CatalogDatabase,
        _ onCommit: @escaping @Sendable (CatalogSnapshot) throws -> Void
    ) -> PublishingService {
        PublishingService(store: store, random: { Data((0..<$0).map { _ in UInt8.random(in: 0...255) }) }) {
            suite,
            table,
            budget in
            suite.run(against: table, at: Timestamp(milliseconds: 1_795_255_200_000), within: budget)
        } onCommit: {
            try onCommit($0)
        }
    }

    /// Grows with every write.
    private func writes() async throws -> Int64 { try await store.snapshot().version }

    private var location: PublishingService.DraftLocation { PublishingService.DraftLocation(shop, .production) }

    /// The failure is not the caller's error, and repeating the request would apply the change twice.
    @Test func storedChangeThatIsNotLiveIsReported() async throws {
        struct Unread: Error {}
        let publishing = Self.publishing(store) { _ in throw Unread() }

        await #expect(throws: StoredNotLive.self) {
            try await publishing.saveSettings(
                try Document.readYAML("domains: [go.example.com]"),
                of: shop,
                expected: nil,
                change: change
            )
        }
        #expect(try await store.settings(of: shop)?.revision == 1)
    }

    // MARK: Settings

    @Test func settingsAreLiveAtOnce() async throws {
        let row = try await saveSettings("domains: [go.example.com]", expected: 0)

        #expect(row.revision == 1)
        #expect(live.last?.table(forHost: "go.example.com", port: nil)?.table.tenant == shop)
        #expect(live.last?.table(of: shop)?.settingsRevision == 1)
        try await saveSettings("domains: [www.example.com]", expected: 1)
        #expect(live.last?.table(forHost: "go.example.com", port: nil) == nil)
        #expect(live.last?.table(forHost: "www.example.com", port: nil) != nil)
    }

    @Test func installKeyIsCreatedWhenSettingsFirstNeedItAndIsKept() async throws {
        let asking = Self.settings + "\nprivacy: {recordInstall: true}"
        try await saveSettings(Self.settings)
        #expect(try await store.installKey(of: shop) == nil)
        try await saveSettings(asking)
        let key = try #require(try await store.installKey(of: shop))
        #expect(key.count == 32)
        #expect(live.last?.table(of: shop)?.installKey == key)
        try await saveSettings(Self.settings)
        #expect(live.last?.table(of: shop)?.installKey == nil)
        #expect(try await store.installKey(of: shop) == key)
        try await saveSettings(asking)
        #expect(try await store.installKey(of: shop) == key)
        #expect(try await store.snapshot().catalog().table(of: shop)?.installKey == key)
    }

    @Test func wrongSettingsChangeNothing() async throws {
        try await saveSettings("domains: [go.example.com]")
        let before = (try await writes(), live.count)

        await #expect(throws: Settings.DecodingErrors.self) {
            try await saveSettings("domains: [https://go.example.com]")
        }
        #expect(try await writes() == before.0)
        #expect(live.count == before.1)
    }

    @Test func settingsThatBreakALiveTableChangeNothing() async throws {
        try await publishedShop()
        let before = (try await writes(), live.count)

        let failure = try await #require(
            throws: PublishingService.Failure.self,
            performing: { try await saveSettings("domains: [go.example.com]\nschemes: [shop]") }
        )
        guard case .findings(let findings) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(findings.map(\.code) == [.destinationNotAllowed, .destinationNotAllowed])
        #expect(findings.map(\.path) == ["table.routes[1].web", "table.defaults.fallback.web"])
        #expect(try await writes() == before.0)
        #expect(live.count == before.1)
        #expect(try await store.settings(of: shop)?.revision == 1)
    }

    @Test func settingsThatKeepALiveTableWorkingAreSaved() async throws {
        try await publishedShop()
        try await saveSettings(Self.settings + "\nretentionDays: 5", expected: 1)

        #expect(live.last?.table(of: shop)?.settings.retentionDays == 5)
        #expect(live.last?.table(of: shop)?.revision == Revision(rawValue: 1))
    }

    @Test func staleSettingsChangeNothing() async throws {
        try await saveSettings("domains: [go.example.com]")

        await #expect(throws: StaleWrite(current: "1")) { try await saveSettings("{}", expected: 0) }
        #expect(live.last?.table(forHost: "go.example.com", port: nil) != nil)
    }

    @Test func anothersDomainIsRefused() async throws {
        try await saveSettings("domains: [go.example.com]")
        let other = try #require(TenantID("other"))
        let content = try Document.readYAML("domains: [go.example.com]")

        await #expect(throws: OwnershipConflict(kind: .domain, name: "go.example.com")) {
            try await publishing.saveSettings(content, of: other, expected: nil, change: change)
        }
        #expect(live.last?.table(of: other) == nil)
    }

    // MARK: Tables

    @Test func draftOfAnUnknownTenantIsRefused() async throws {
        await expectFailure(.unknownTenant(shop)) { _ = try await publishing.draft(at: location) }
        await expectFailure(.unknownTenant(shop)) { try await saveTable("routes: []") }
        await expectFailure(.unknownTenant(shop)) { try await publish() }
        #expect(try await writes() == 0)
    }

    @Test func newTenantHasAnEmptyDraft() async throws {
        try await saveSettings("{}")
        let draft = try await publishing.draft(at: location)

        #expect(draft.version == .live(nil))
        #expect(draft.content == .object(["routes": .array([])]))
    }

    @Test func tableThatCannotBeReadChangesNothing() async throws {
        try await saveSettings(Self.settings)
        let before = try await writes()

        let failure = try await #require(
            throws: PublishingService.Failure.self,
            performing: { try await saveTable("routes: [{id: a, path: a}, {id: b}]") }
        )
        guard case .findings(let findings) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(findings.map(\.path) == ["table.routes[0].path", "table.routes[1]"])
        #expect(findings.allSatisfy { $0.severity == .error && $0.code == .invalid })
        #expect(try await writes() == before)
    }

    @Test func draftKeepsATableWithFindings() async throws {
        try await saveSettings(Self.settings)
        let saved = try await saveTable("routes: [{id: a, path: /a, web: \"https://elsewhere.example/\"}]")

        #expect(saved.findings.map(\.code) == [.destinationNotAllowed])
        #expect(saved.findings.first?.position?.line == 1)
        #expect(saved.draft.version == .written(1))
        #expect(live.last?.table(of: shop)?.revision == nil)
    }

    @Test func tableWithErrorsIsNotPublished() async throws {
        try await publishedShop()
        try await saveTable("routes: [{id: a, path: /a, web: \"https://elsewhere.example/\"}]")
        let before = (try await writes(), live.count)

        let failure = try await #require(throws: PublishingService.Failure.self, performing: { try await publish() })
        guard case .findings(let findings) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(findings.map(\.code) == [.destinationNotAllowed])
        #expect(try await writes() == before.0)
        #expect(live.count == before.1)
        #expect(live.last?.table(of: shop)?.revision == Revision(rawValue: 1))
    }

    @Test func warningsDoNotPreventPublication() async throws {
        try await saveSettings("domains: [go.example.com]\nschemes: [shop]")
        let saved = try await saveTable("routes: [{id: a, path: /a, open: {screen: A}}]")

        #expect(saved.findings.map(\.severity) == [.warning])
        #expect(try await publish().revision == Revision(rawValue: 1))
    }

    @Test func withoutATableThereIsNothingToPublish() async throws {
        try await saveSettings("{}")

        await expectFailure(.noDraft(.main)) { try await publish() }
    }

    @Test func publishedTableIsLive() async throws {
        try await publishedShop()
        let context = LinkContext(platform: .ios)

        #expect(live.last?.resolve("shop://b", in: context, explanation: .omitted).resolution.route == RouteID("b"))
        try await saveTable("routes: []")
        #expect(live.last?.resolve("shop://b", in: context, explanation: .omitted).resolution.route == RouteID("b"))
        let row = try await publish()
        #expect(row.revision == Revision(rawValue: 2))
        #expect(row.routeCount == 0)
        #expect(live.last?.resolve("shop://b", in: context, explanation: .omitted).resolution.outcome == .unmatched)
    }

    @Test func reloadPublishesTheStoredTable() async throws {
        try await publishedShop()
        let other = Live()
        try await Self.publishing(store) { try other.append($0) }.reload()

        #expect(other.last?.table(of: shop)?.revision == Revision(rawValue: 1))
    }

    // MARK: Single routes

    @Test func routeIsFound() async throws {
        try await publishedShop()

        #expect(try await publishing.route(try id("b"), at: location).route["path"]?.text == "/b")
        await expectFailure(.unknownRoute(try id("z"))) {
            _ = try await publishing.route(try id("z"), at: location)
        }
    }

    @Test func changedRouteKeepsItsPosition() async throws {
        try await publishedShop()
        let saved = try await saveRoute("b", "path: /new")

        #expect(!saved.isNew)
        #expect(try await ids() == ["a", "b", "c"])
        #expect(saved.draft.content["routes"]?.elements?[1] == (try Document.readYAML("{id: b, path: /new}")))
        #expect(saved.draft.content["defaults"] != nil)
        #expect(saved.draft.version == .written(2))
    }

    @Test func newRouteGoesLast() async throws {
        try await publishedShop()

        #expect(try await saveRoute("d", "{id: d, path: /d}").isNew)
        #expect(try await ids() == ["a", "b", "c", "d"])
    }

    @Test func routeGoesBeforeAnother() async throws {
        try await publishedShop()

        try await saveRoute("d", "path: /d", .before(try id("b")))
        #expect(try await ids() == ["a", "d", "b", "c"])
        try await saveRoute("c", "path: /c", .before(try id("a")))
        #expect(try await ids() == ["c", "a", "d", "b"])
        try await saveRoute("c", "path: /c", .before(try id("c")))
        #expect(try await ids() == ["c", "a", "d", "b"])
        await expectFailure(.unknownRoute(try id("z"))) { try await saveRoute("a", "path: /a", .before(try id("z"))) }
        #expect(try await ids() == ["c", "a", "d", "b"])
    }

    @Test func routeWithAnotherIDIsRefused() async throws {
        try await publishedShop()

        let error = await #expect(throws: DocumentError.self) { try await saveRoute("a", "{id: b, path: /x}") }
        #expect(
            error?.description
                == "line 1, column 1: route.id: The id 'b' differs from the one in the path; write 'a' or leave it out."
        )
        #expect(try await ids() == ["a", "b", "c"])
    }

    @Test(arguments: ["path: x", "{path: /x, opens: {}}", "[]", "path: /x\nid: 7"])
    func wrongRouteChangesNothing(_ route: String) async throws {
        try await publishedShop()
        let before = try await writes()

        await #expect(throws: (any Error).self) { try await saveRoute("a", route) }
        #expect(try await writes() == before)
    }

    @Test func routeWithFindingsIsSavedAndReported() async throws {
        try await publishedShop()
        let saved = try await saveRoute("d", "{path: /d, web: \"https://elsewhere.example/\"}")

        #expect(saved.findings.map(\.path) == ["table.routes[3].web"])
    }

    @Test func routeIsRemoved() async throws {
        try await publishedShop()
        _ = try await publishing.removeRoute(try id("b"), at: location, change: change)

        #expect(try await ids() == ["a", "c"])
        await expectFailure(.unknownRoute(try id("b"))) {
            _ = try await publishing.removeRoute(try id("b"), at: location, change: change)
        }
        // The live table has not changed.
        #expect(live.last?.table(of: shop)?.router.table.routes.count == 3)
    }

    // MARK: Setup

    private static let settings =
        "domains: [go.example.com, {host: www.example.com, serves: association}]\nschemes: [shop]"

    /// Writes settings and publishes a table of three routes as revision 1.
    private func publishedShop() async throws {
        try await saveSettings(Self.settings)
        try await saveTable(
            """
            defaults: {fallback: {web: "https://www.example.com/"}}
            routes:
              - {id: a, path: /a}
              - {id: b, path: /b, web: "https://www.example.com/b"}
              - {id: c, path: /c}
            """
        )
        try await publish()
    }

    @discardableResult
    private func saveSettings(_ text: String, expected: Int64? = nil) async throws -> StoredSettings {
        try await publishing.saveSettings(try Document.readYAML(text), of: shop, expected: expected, change: change)
    }

    @discardableResult
    private func saveTable(_ text: String) async throws -> (draft: Draft, findings: [Finding]) {
        try await publishing.saveDraft(
            try Document.readYAML(text),
            at: location,
            expected: nil,
            change: change
        )
    }

    @discardableResult
    private func publish() async throws -> PublishedRevision {
        try await publishing.publish(location, change: change).row
    }

    @discardableResult
    private func saveRoute(
        _ name: String,
        _ text: String,
        _ placement: PublishingService.Placement = .keep
    ) async throws -> (draft: Draft, findings: [Finding], isNew: Bool) {
        try await publishing.saveRoute(
            try Document.readYAML(text),
            id: try id(name),
            placement: placement,
            at: location,
            change: change
        )
    }

    private func ids() async throws -> [String?] {
        try await publishing.draft(at: location).content["routes"]?.elements?.map { $0["id"]?.text } ?? []
    }

    private func id(_ text: String) throws -> RouteID { try #require(RouteID(text)) }

    private func expectFailure(
        _ expected: PublishingService.Failure,
        performing: () async throws -> Void,
        at location: SourceLocation = #_sourceLocation
    ) async {
        do {
            try await performing()
            Issue.record("nothing was thrown", sourceLocation: location)
        } catch {
            #expect("\(error)" == "\(expected)", sourceLocation: location)
        }
    }
}
