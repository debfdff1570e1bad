import Foundation
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import LinkStorage
import Testing

/// Association files as devices and Apple's CDN get them: no redirect, and the same bytes until the next publication.
struct AssociationFileTests {
    private static let apple = "/.well-known/apple-app-site-association"
    private static let android = "/.well-known/assetlinks.json"
    private static let paths = [apple, "/apple-app-site-association", android]

    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")

    private static func tenant(_ name: String, path: String = "/a") -> String {
        """
        formatVersion: 1
        tenant: \(name)
        settings:
          domains: [{host: \(name).example, serves: association}, {host: go.\(name).example}]
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.\(name)}
            - {id: android, platform: android, package: com.example.\(name), fingerprints: ["\(fingerprint)"]}
        table:
          defaults: {fallback: {web: "https://\(name).example/"}}
          routes:
            - {id: a, path: \(path), open: {screen: A}}
            - {id: any, path: "/{x...}", web: "https://\(name).example/y"}
        """
    }

    @Test func fileIsAnsweredOnBothPathsWithItsHeaders() async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            for path in Self.paths + Self.paths.map({ $0 + "?x=1" }) {
                for host in ["one.example", "go.one.example"] {
                    let answer = try await service.publicPort(.get, path, host: host)
                    #expect(answer.status == 200)
                    #expect(answer["Content-Type"] == "application/json")
                    #expect(answer["Cache-Control"] == "public, max-age=300")
                    #expect(answer["Vary"] == "Accept-Encoding")
                    #expect(answer["Content-Encoding"] == nil && answer["Location"] == nil)
                    #expect(answer["ETag"]?.hasPrefix("\"") == true)
                    #expect(answer["Content-Length"] == "\(answer.body.count)")
                    let app = path.contains("apple") ? "ABCDE12345.com.example.one" : #""com.example.one""#
                    #expect(answer.text.contains(app), "\(path)")
                }
            }
        }
    }

    /// The files are generated before they are requested, because generating one in a request would block its event
    /// loop.
    @Test func filesAreThereBeforeATableIsLive() async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            #expect(service.dependencies.associationFiles.isComplete)

            let files = AssociationFileCache()
            let started = LiveCatalog { files.update(for: $0, isStart: $1) }
            started.update(from: try await service.dependencies.store.snapshot())
            #expect(files.isComplete)
        }
    }

    @Test func cancelledPublicationHasNoFiles() async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            let table = try #require(service.dependencies.linkResolver.catalog.current.tables.first)
            let cancellation = Cancellation()
            cancellation.cancel()
            #expect(throws: CancellationError.self) { try AssociationFileCache().prepare(table, unless: cancellation) }
        }
    }

    @Test func headHasTheHeadersAndNoBody() async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            let full = try await service.publicPort(.get, Self.apple, host: "one.example")
            let head = try await service.publicPort(.head, Self.apple, host: "one.example")

            #expect(head.status == 200 && head.text.isEmpty)
            for name in ["Content-Type", "Content-Length", "ETag", "Vary"] { #expect(head[name] == full[name]) }
        }
    }

    @Test func callerThatHasTheFileGetsNone() async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            let tag = try #require(try await service.publicPort(.get, Self.apple, host: "one.example")["ETag"])
            for list in [tag, "\"x\", \(tag)", "W/\(tag)", "*"] {
                let answer = try await service.publicPort(
                    .get,
                    Self.apple,
                    host: "one.example",
                    headers: [.ifNoneMatch: list]
                )
                #expect(answer.status == 304 && answer.text.isEmpty, "\(list)")
                #expect(answer["ETag"] == tag)
                #expect(answer["Cache-Control"] == "public, max-age=300")
                #expect(answer["Vary"] == "Accept-Encoding")
                #expect(answer["Content-Type"] == nil && answer["Content-Encoding"] == nil)
            }
            let other = try await service.publicPort(
                .get,
                Self.apple,
                host: "one.example",
                headers: [.ifNoneMatch: "\"x\""]
            )
            #expect(other.status == 200)
        }
    }

    @Test func compressedFormIsSentOnRequest() async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            let plain = try await service.publicPort(.get, Self.apple, host: "one.example")
            for accepted in ["gzip", "br, gzip;q=0.5"] {
                let answer = try await service.publicPort(
                    .get,
                    Self.apple,
                    host: "one.example",
                    headers: [.acceptEncoding: accepted]
                )
                #expect(answer["Content-Encoding"] == "gzip")
                #expect(answer["ETag"] != plain["ETag"])
                #expect(answer["Vary"] == "Accept-Encoding")
                #expect(answer["Content-Length"] == "\(answer.body.count)")
                let file = service.directory + "/answer.gz"
                try Data(answer.body).write(to: URL(filePath: file))
                #expect(try unzipped(file) == plain.body)
            }
            for refused in ["identity", "gzip;q=0", "br"] {
                let answer = try await service.publicPort(
                    .get,
                    Self.apple,
                    host: "one.example",
                    headers: [.acceptEncoding: refused]
                )
                #expect(answer["Content-Encoding"] == nil && answer.text == plain.text)
            }
        }
    }

    @Test func publishingRegeneratesTheFilesOfOneTenantOnly() async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            try await service.load(Self.tenant("two"))
            func tags() async throws -> [String?] {
                var tags: [String?] = []
                for host in ["one.example", "two.example"] {
                    tags.append(try await service.publicPort(.get, Self.apple, host: host)["ETag"])
                }
                return tags
            }
            let before = try await tags()
            try await service.load(Self.tenant("one", path: "/b"))
            let after = try await tags()

            #expect(before[0] != after[0] && before[1] == after[1])
            let file = try await service.publicPort(.get, Self.apple, host: "one.example")
            #expect(file.text.contains(#""/":"/b""#))
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete, .options])
    func otherMethodsGetTheAllowedOnes(_ method: HTTPRequest.Method) async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            for path in Self.paths {
                let answer = try await service.publicPort(method, path, host: "one.example")

                #expect(answer.status == 405, "\(path)")
                #expect(answer["Allow"] == "GET, HEAD")
                #expect(answer.json?["code"]?.text == "method_not_allowed")
            }
        }
    }

    /// Holds even if a route matches every path, on a host whose links are answered with redirects.
    @Test(arguments: [
        "/.well-known/apple-app-site-association/", "//.well-known/apple-app-site-association",
        "/.well-known/apple-app-site-association/?x=1", "/.well-known/apple-app-site-association//",
        "/.well-known/apple-app-site-association.json", "/.well-known/Apple-App-Site-Association",
        "/.well-known/apple-app-site-association/x", "//apple-app-site-association", "/apple-app-site-association/",
        "/%61pple-app-site-association", "/.well-known//assetlinks.json", "/.well-known/assetlinks.json/",
        "/.well-known/%61ssetlinks.json", "/.well-known", "/.well-known/", "/.well-known?x=1",
        "/.well-known/other", "//.well-known/other", "///.well-known", "/%2Ewell-known/other", "/%2ewell-known",
        "//%2Ewell%2Dknown/assetlinks.json", "/.well-known/%zz", "/_fp", "/_fp/", "/_fp?x=1", "/_fp/x", "//_fp/x",
        "/%5Ffp/x", "/%5ffp",
    ])
    func nothingBesideTheFilesIsAnswered(_ path: String) async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            for host in ["one.example", "go.one.example"] {
                for method in [HTTPRequest.Method.get, .head] {
                    let answer = try await service.publicPort(method, path, host: host)
                    #expect(answer.status == 404, "\(method) \(host)")
                    #expect(answer["Location"] == nil)
                }
                let answer = try await service.publicPort(.post, path, host: host)
                #expect(answer.status == 404, "POST \(host)")
            }
            #expect(try await service.log.lastSequence() == 0)
        }
    }

    /// The catch-all route answers for paths that only resemble reserved paths.
    @Test(arguments: ["/well-known/x", "/x/.well-known", "/_fpx", "/.Well-Known/x"])
    func otherPathsAreClicks(_ path: String) async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            let answer = try await service.publicPort(.get, path, host: "go.one.example")
            #expect(answer.status == 302)
        }
    }

    @Test func unknownHostHasNoFile() async throws {
        try await withService { service in
            let answer = try await service.publicPort(.get, Self.apple, host: "nobody.example")

            #expect(answer.status == 404)
            #expect(answer.json?["code"]?.text == "unknown_host")
        }
    }
}
