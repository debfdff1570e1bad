import Foundation
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

@Suite(.timeLimit(.minutes(15)))
struct PrivacyTests {
    private static let secret = "s3cretbytes"

    private static func acme(
        unmatchedPath: String = "firstSegment",
        ip: String = "truncated",
        more: String = ""
    ) -> String {
        """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [{host: www.acme.example, serves: association}]
          schemes: [acme]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.acme}]
          privacy: {recordQuery: [utm_source], unmatchedPath: \(unmatchedPath), ip: \(ip)\(more)}
        table:
          routes:
            - {id: reset, path: "/reset/{token}", sensitive: [token], audience: server, open: {screen: Reset}}
            - {id: docs, path: "/docs/{key...}", sensitive: [key], audience: server, open: {screen: Docs}}
            - {id: find, path: /find, query: {q: string}, open: {screen: Find, arguments: {q: "{q}"}}}
        """
    }

    /// No file below the data directory contains the bytes, in the log or in unpacked exports.
    private func expectNoTrace(of secret: String, under directory: String) throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: directory)
        var searched = 0
        for file in files {
            let path = directory + "/" + file
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            let bytes =
                file.hasSuffix(".gz") ? Data(try unzipped(path)) : try Data(contentsOf: URL(filePath: path))
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file) holds the secret")
            searched += 1
        }
        #expect(searched > 2)
    }

    private func export(_ service: TestService, _ tenant: String) async throws -> String {
        let id = try #require(TenantID(tenant))
        let table = try #require(service.dependencies.linkResolver.catalog.current.table(of: id))
        service.clock.advance(seconds: 60)
        let manifest = try await service.dependencies.exporter.exportNow(ExportPlan(table))
        let file = try #require(manifest.file)
        return String(decoding: try unzipped(service.directory + "/exports/" + file.path), as: UTF8.self)
    }

    @Test func onlyAllowedQueryValuesReachTheLogAndTheExport() async throws {
        try await withService { service in
            let answer = try await service.resolve(
                #"{"url":"yourapp://product/1?token=\#(Self.secret)&utm_source=mail#\#(Self.secret)"}"#
            )
            #expect(answer.json?["destination"]?["uri"]?.text?.contains("token=\(Self.secret)") == true)
            let event = try #require(try await service.events(of: "shop").first)
            #expect(event.query == [Event.QueryItem(name: "utm_source", value: "mail")])
            let lines = try await export(service, "shop")
            #expect(lines.contains("utm_source"))
            #expect(lines.contains("mail"))
            #expect(!lines.contains(Self.secret))
            try expectNoTrace(of: Self.secret, under: service.directory)
        }
    }

    @Test func sensitiveCapturesAreShownByTheirName() async throws {
        try await withService { service in
            try await service.load(Self.acme())
            for link in [
                "acme://reset/\(Self.secret)", "https://www.acme.example/reset/\(Self.secret)?token=\(Self.secret)",
                "acme://docs/a/\(Self.secret)/b",
            ] {
                let answer = try await service.resolve(#"{"url":"\#(link)"}"#)
                #expect(answer.json?["outcome"]?.text == "matched")
            }
            let events = try await service.events(of: "acme")
            #expect(events.map(\.path) == ["/reset/{token}", "/reset/{token}", "/docs/{key}"])
            #expect(events.map(\.parameters) == [nil, nil, nil])
            #expect(!(try await export(service, "acme")).contains(Self.secret))
            try expectNoTrace(of: Self.secret, under: service.directory)
        }
    }

    @Test func capturedQueryValuesAreRecordedOnlyWhereTheirItemsAre() async throws {
        try await withService { service in
            try await service.load(Self.acme())
            let answer = try await service.resolve(#"{"url":"acme://find?q=\#(Self.secret)"}"#)
            #expect(answer.json?["parameters"]?["q"]?.text == Self.secret)
            try expectNoTrace(of: Self.secret, under: service.directory)
        }
    }

    @Test func rejectedLinkLeavesNoText() async throws {
        try await withService { service in
            let link = "https://go.yourappdomain.com/a/../\(Self.secret)?\(Self.secret)"
            let answer = try await service.resolve(#"{"url":"\#(link)"}"#)
            #expect(answer.json?["reason"]?["code"]?.text == "dot_segment")
            let events = try await service.events(of: "shop") + service.unownedEvents()
            #expect(events.count == 1)
            #expect(events.first?.reason == "dot_segment")
            #expect(events.first?.linkLength == link.utf8.count)
            #expect(events.first?.host == "go.yourappdomain.com")
            #expect(events.first?.path == nil)
            try expectNoTrace(of: Self.secret, under: service.directory)
        }
    }

    @Test(arguments: [
        ("full", "/hidden/s3cretbytes"), ("shape", "/{slug}/{slug}"), ("firstSegment", "/hidden"), ("none", nil),
    ])
    func settingsDecideHowUnmatchedPathsAreRecorded(mode: String, path: String?) async throws {
        try await withService { service in
            try await service.load(Self.acme(unmatchedPath: mode))
            let answer = try await service.resolve(#"{"url":"acme://hidden/\#(Self.secret)"}"#)
            #expect(answer.json?["outcome"]?.text == "unmatched")
            #expect(try await service.events(of: "acme").map(\.path) == [path])
            if mode != "full" { try expectNoTrace(of: Self.secret, under: service.directory) }
        }
    }

    @Test func unownedLinkLeavesNoPath() async throws {
        try await withService { service in
            _ = try await service.resolve(#"{"url":"https://nobody.example/\#(Self.secret)?\#(Self.secret)"}"#)
            #expect(try await service.unownedEvents().map(\.path) == [nil])
            try expectNoTrace(of: Self.secret, under: service.directory)
        }
    }

    @Test(arguments: ["truncated", "keyed", "none"])
    func settingsDecideHowAddressesAreRecorded(mode: String) async throws {
        try await withService { service in
            try await service.load(Self.acme(ip: mode))
            _ = try await service.resolve(#"{"url":"acme://find?q=1"}"#)
            let address = try #require(try await service.events(of: "acme").first).address
            switch mode {
            case "truncated": #expect(address == "203.0.113.0/24")
            case "keyed": #expect(address?.hasPrefix("hmac:") == true)
            default: #expect(address == nil)
            }
            try expectNoTrace(of: "203.0.113.77", under: service.directory)
        }
    }

    @Test(arguments: [false, true])
    func callerCannotBeReadFromTheRecord(isCounted: Bool) async throws {
        let more = isCounted ? ", recordTraits: [plan], recordInstall: true" : ""
        try await withService(locating: { _ in "NO" }) { service in
            try await service.load(Self.acme(more: more))
            let answer = try await service.resolve(
                """
                {"url": "acme://find?q=1&email=eve@mail.example&utm_source=letter#eve@mail.example",
                 "context": {"stickyKey": "sticky-\(Self.secret)", "country": "eve@mail.example",
                  "traits": {"plan": "professional", "email": "eve@mail.example", "name": "\(Self.secret)"}}}
                """
            )
            #expect(answer.json?["outcome"]?.text == "matched")
            _ = try await service.resolve(
                #"{"url":"acme://find?q=2","context":{"stickyKey":"sticky-\#(Self.secret)"}}"#
            )
            let events = try await service.events(of: "acme")
            #expect(events.map(\.country) == [nil, "NO"])
            #expect(Set(events.map(\.install)).count == 1)
            #expect((events.first?.install != nil) == isCounted)

            let lines = try await export(service, "acme")
            #expect(lines.contains("letter"))
            #expect(lines.contains("professional") == isCounted)
            for secret in [Self.secret, "eve@", "mail.example", "203.0.113.77"] {
                #expect(!lines.contains(secret))
                try expectNoTrace(of: secret, under: service.directory)
            }
        }
    }

    /// A trace shows the link's contents, but only to the caller.
    @Test func explanationIsNotRecorded() async throws {
        try await withService { service in
            let answer = try await service.resolve(#"{"url":"yourapp://product/\#(Self.secret)","explain":true}"#)
            #expect(answer.text.contains(#""found":"\#(Self.secret)""#))
            try expectNoTrace(of: Self.secret, under: service.directory)
        }
    }
}
