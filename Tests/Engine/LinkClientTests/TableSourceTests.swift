import LinkClient
import LinkRouting
import LinkTable
import TestSupport
import Testing

struct TableSourceTests {
    private func answers(_ bytes: [UInt8]) -> @Sendable (LinkRequest) throws -> LinkResponse {
        { _ in LinkResponse(status: 200, body: bytes) }
    }

    @Test(arguments: [(7, 8, "disk", 8), (8, 7, "bundle", 8), (7, 7, "disk", 7)])
    func newerOfBundleAndDiskIsUsed(_ bundled: Int64, _ stored: Int64, _ origin: String, _ used: Int64) async throws {
        let disk = MemoryDisk()
        // Of the same version, the one that was signed later is newer.
        disk[TestClient.tablePath] = try Sample.signed(
            revision: stored,
            issuedAt: Timestamp(milliseconds: Sample.issuedAt.milliseconds + 1)
        )
        let test = try TestClient(bundled: try Sample.signed(revision: bundled), disk: disk)
        await test.client.load()
        let table = try #require(test.client.state.table)
        #expect("\(table.origin)" == origin)
        #expect(table.revision.rawValue == used)
        #expect(test.client.state.problems == [])
    }

    @Test func downloadIsUsedAndStored() async throws {
        let bundled = try Sample.signed()
        let newer = try Sample.signed(revision: 8)
        let test = try TestClient(bundled: bundled, server: StubServer(answers(newer)))
        await test.client.refresh()
        #expect(test.client.state.table?.origin == .download)
        #expect(test.client.state.table?.revision.rawValue == 8)
        #expect(test.disk[TestClient.tablePath] == newer)
        let request = try #require(test.server.requests.first)
        #expect(request.url == "https://links.acme.test/_fp/table?tenant=acme&environment=production&app=ios")
        #expect(request.headers["If-None-Match"] == SignedTable.entityTag(of: bundled))
        #expect(request.headers["Authorization"] == "Bearer fp_test")
        #expect(request.maximumBytes == SignedTable.maximumBytes)
    }

    @Test func unchangedTableStays() async throws {
        let server = StubServer { _ in LinkResponse(status: 304) }
        let test = try TestClient(bundled: try Sample.signed(), server: server)
        await test.client.refresh()
        #expect(test.client.state.table?.origin == .bundle)
        #expect(test.client.state.problems == [])
        #expect(test.disk[TestClient.tablePath] == nil)
    }

    /// What a server or an attacker may send, and the reason why it is not used.
    private static let downloads: [(name: String, code: String, bytes: @Sendable () throws -> [UInt8])] = [
        ("another tenant", "other_tenant", { try Sample.signed(revision: 8, scope: Sample.scope(tenant: "evil")) }),
        ("another app", "other_app", { try Sample.signed(revision: 8, scope: Sample.scope(app: "droid")) }),
        ("another environment", "other_environment", { try Sample.signed(scope: Sample.scope(environment: "t")) }),
        ("another key", "unknown_key", { try Sample.signed(revision: 8, key: 9) }),
        ("an older revision", "older", { try Sample.signed(revision: 6) }),
        ("older settings", "older", { try Sample.signed(revision: 8, settingsRevision: 2) }),
        ("an expired table", "expired", { try Sample.signed(revision: 8, issuedAt: instant("2020-01-01T00:00:00Z")) }),
        ("a table of the future", "issued_in_future", { try Sample.signed(issuedAt: instant("2040-01-01T00:00:00Z")) }),
        ("nothing", "truncated", { [] }),
        ("half a table", "truncated", { Array(try Sample.signed(revision: 8).dropLast(9)) }),
        ("a web page", "malformed", { Array("<html>\n</html>".utf8) }),
        (
            "a flipped bit", "bad_signature",
            {
                var bytes = try Sample.signed(revision: 8)
                bytes[bytes.count - 20] ^= 1
                return bytes
            }
        ),
        ("too much", "too_large", { Array(repeating: 0x20, count: SignedTable.maximumBytes + 1) }),
    ]

    @Test(arguments: downloads.map(\.name)) func refusedDownloadLeavesTheLastTableInUse(_ name: String) async throws {
        let download = try #require(Self.downloads.first { $0.name == name })
        let bundled = try Sample.signed()
        let test = try TestClient(bundled: bundled, server: StubServer(answers(try download.bytes())))
        await test.client.refresh()
        #expect(test.problem(.downloadedTable)?.code == download.code)
        #expect(test.client.state.table?.revision.rawValue == 7)
        #expect(test.client.resolve("https://go.acme.com/product/1").resolution?.outcome == .matched)
        #expect(test.disk[TestClient.tablePath] == nil)
    }

    @Test func newerFormatIsUndecidedWithoutAnotherTable() async throws {
        let newer = try TableBytes.signed(replacing: #""formatVersion":1"#, with: #""formatVersion":2"#)
        let test = try TestClient(bundled: newer, server: StubServer(answers(newer)))
        await test.client.refresh()
        #expect(test.problem(.bundledTable)?.code == "newer_format")
        #expect(test.problem(.downloadedTable)?.code == "newer_format")
        for link in ["https://go.acme.com/product/1", "acme:/", "no link", "https://evil.example/"] {
            #expect(test.client.resolve(link) == .undecided(.noTable))
        }
    }

    @Test func readOnlyDiskKeepsTheTableInMemory() async throws {
        let disk = MemoryDisk()
        let test = try TestClient(disk: disk, server: StubServer(answers(try Sample.signed())))
        disk.fail("Read-only file system")
        await test.client.refresh()
        #expect(test.client.resolve("acme:/product/1").resolution?.outcome == .matched)
        #expect(test.problem(.storage)?.message.contains("Read-only file system") == true)
        #expect(disk[TestClient.tablePath] == nil)
    }

    @Test func tableCutAtAnyByteLeavesTheBundledOneInUse() async throws {
        let stored = try Sample.signed(revision: 9, routes: #"[{"id": "a", "path": "/a", "open": {"screen": "A"}}]"#)
        let bundled = try Sample.signed()
        for count in stride(from: 0, to: stored.count, by: 7) {
            let disk = MemoryDisk()
            disk[TestClient.tablePath] = Array(stored[..<count])
            let test = try TestClient(bundled: bundled, disk: disk)
            await test.client.load()
            #expect(test.client.state.table?.origin == .bundle, "\(count) bytes")
            #expect(test.problem(.storedTable) != nil)
        }
    }

    @Test func unreachableServerIsAProblemAndASuccessEndsIt() async throws {
        let test = try TestClient(bundled: try Sample.signed())
        await test.client.refresh()
        #expect(test.problem(.download)?.message.hasPrefix("The table cannot be downloaded") == true)
        test.server.answers { _ in LinkResponse(status: 304) }
        await test.client.refresh()
        #expect(test.client.state.problems == [])
    }

    @Test func serverErrorNamesItsReason() async throws {
        let server = StubServer { _ in LinkResponse(status: 404, body: Array(#"{"detail": "no app 'ios'"}"#.utf8)) }
        let test = try TestClient(server: server)
        await test.client.refresh()
        #expect(test.problem(.download)?.message.contains("status 404, no app 'ios'") == true)
    }

    @Test func secondPinnedKeyIsAccepted() async throws {
        let test = try TestClient(
            bundled: try Sample.signed(),
            server: StubServer(answers(try Sample.signed(revision: 8, key: 2)))
        )
        await test.client.refresh()
        #expect(test.client.state.table?.revision.rawValue == 8)
    }

    @Test func statesDeliverTheNewestState() async throws {
        let test = try TestClient(bundled: try Sample.signed())
        var states = test.client.states.makeAsyncIterator()
        #expect(await states.next()?.table == nil)
        await test.client.load()
        #expect(await states.next()?.table?.revision.rawValue == 7)
    }

    @Test func runRefreshesWithJitterAndBacksOffAfterFailures() async throws {
        let delays = Recorder()
        let test = try TestClient(bundled: try Sample.signed()) { delay in
            if delays.add(delay) > 40 { throw CancellationError() }
        }
        await test.client.run()
        // The first wait of downloads, then growing ones after failures. Deliveries wait once.
        let waits = delays.values
        #expect(waits.contains { $0 > .seconds(60) })
        #expect(waits.allSatisfy { $0 <= .seconds(3_601) })
        #expect(Set(waits).count > 20, "the waits vary")
    }
}
