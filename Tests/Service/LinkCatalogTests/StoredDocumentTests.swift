import LinkCatalog
import LinkRouting
import Testing

/// Stored documents: their size is checked before writing, and they are still read later.
struct StoredDocumentTests {
    @Test(
        arguments: [
            "null", "[]", "{}", "[[],[[]]]", #"{"a":[true,false,null,1.5e3,-0]}"#,
            #""a\u0001\n\"\\\u0008\u000c\r\tü😀\u007f""#,
            #"{"k\n":{"":[{}]}}"#,
        ]
    )
    func sizeIsThatOfTheStoredText(_ text: String) throws {
        let node = try Document.readStored(text)
        #expect(DocumentSize(of: node).bytes == node.json().utf8.count)
    }

    @Test func depthAndValuesAreCounted() throws {
        let size = DocumentSize(of: try Document.readStored(#"{"a":[[1,2],{"b":3}],"c":4}"#))
        #expect(size.depth == 3)
        #expect(size.values == 11)
    }

    /// `limits.tableBytes` may be lowered. What is stored stays readable.
    @Test func documentAboveTheLimitsIsRead() throws {
        let text = "\"" + String(repeating: "a", count: 65 << 20) + "\""
        #expect(try Document.readStored(text).text?.utf8.count == 65 << 20)
    }

    @Test func storedDocumentsAboveTheLimitsAreRead() throws {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(DocumentSize(of: try Document.readStored(deep)).depth == 100)
        #expect(throws: DocumentTooLarge.self) {
            try Document.requireStorable(try Document.readStored(deep), "The draft", maximumBytes: 1_000)
        }
    }

    @Test func tenantThatCannotBeReadKeepsItsLastTables() throws {
        let (shop, blogs) = (try #require(TenantID("shop")), try #require(TenantID("blogs")))
        func snapshot(_ version: Int64, _ settings: String, _ table: String) -> CatalogSnapshot {
            CatalogSnapshot(
                version: version,
                tenants: [shop, blogs].map { tenant in
                    let isBroken = tenant == blogs
                    return CatalogSnapshot.Tenant(
                        tenant,
                        settingsRevision: version,
                        settings: isBroken ? settings : #"{"domains":["shop.example"]}"#,
                        live: [
                            .init(
                                environment: .production,
                                revision: Revision(rawValue: version),
                                text: isBroken ? table : #"{"routes":[]}"#
                            )
                        ]
                    )
                }
            )
        }
        let good = snapshot(1, #"{"domains":["blogs.example"]}"#, #"{"routes":[]}"#).catalog()
        #expect(good.tables.count == 2 && good.unreadable.isEmpty)
        for (settings, table) in [("[", #"{"routes":[]}"#), (#"{"domains":["blogs.example"]}"#, #"{"routes":5}"#)] {
            let later = snapshot(2, settings, table)
            let reloaded = later.catalog(reusing: good)
            #expect(reloaded.table(of: blogs)?.revision == Revision(rawValue: 1))
            #expect(reloaded.table(of: shop)?.revision == Revision(rawValue: 2))
            #expect(reloaded.unreadable.map(\.tenant) == [blogs])
            // After a restart there is no previous table: the tenant's hosts have no owner, and other tenants are
            // served.
            let started = later.catalog()
            #expect(started.table(of: blogs) == nil && started.table(forHost: "blogs.example", port: nil) == nil)
            #expect(started.table(forHost: "shop.example", port: nil)?.table.tenant == shop)
        }
    }

    @Test func tableOfAnotherEnvironmentDoesNotAnswerForABrokenProduction() throws {
        let shop = try #require(TenantID("shop"))
        let staging = try #require(EnvironmentID("staging"))
        let snapshot = CatalogSnapshot(
            version: 1,
            tenants: [
                .init(
                    shop,
                    settingsRevision: 1,
                    settings: #"{"domains":["shop.example"]}"#,
                    live: [
                        .init(environment: .production, revision: Revision(rawValue: 1), text: "{}}"),
                        .init(environment: staging, revision: Revision(rawValue: 2), text: #"{"routes":[]}"#),
                    ]
                )
            ]
        )
        #expect(snapshot.catalog().tables.isEmpty)
    }
}
