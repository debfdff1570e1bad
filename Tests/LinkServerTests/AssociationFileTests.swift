import HTTPTypes
import LinkEvents
import LinkRouting
import LinkServer
import Testing

/// What devices and Apple's CDN get: one answer, never a redirect, the same bytes until something is published.
struct AssociationFileTests {
    private static let apple = "/.well-known/apple-app-site-association"

    private static func tenant(_ name: String, path: String = "/a") -> String {
        """
        formatVersion: 1
        tenant: \(name)
        settings:
          domains: [{host: \(name).example, serves: association}, {host: go.\(name).example}]
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.\(name)}
        table:
          defaults: {fallback: {web: "https://\(name).example/"}}
          routes:
            - {id: a, path: \(path), open: {screen: A}}
            - {id: any, path: "/{x}/{y}", web: "https://\(name).example/y"}
        """
    }

    @Test func fileIsAnsweredOnBothPathsWithItsHeaders() async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            for path in [Self.apple, "/apple-app-site-association", Self.apple + "?x=1"] {
                for host in ["one.example", "go.one.example"] {
                    let answer = try await service.publicPort(.get, path, host: host)
                    #expect(answer.status == 200)
                    #expect(answer["Content-Type"] == "application/json")
                    #expect(answer["Cache-Control"] == "public, max-age=300")
                    #expect(answer["Vary"] == "Accept-Encoding")
                    #expect(answer["Content-Encoding"] == nil && answer["Location"] == nil)
                    #expect(answer["ETag"]?.hasPrefix("\"") == true)
                    #expect(answer["Content-Length"] == "\(answer.text.utf8.count)")
                    #expect(answer.text.contains("ABCDE12345.com.example.one"))
                }
            }
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

    @Test func compressedFormIsForWhoAsks() async throws {
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
                var expected: [UInt8] = []
                let stream = try GzipStream(level: 9)
                try stream.write(Array(plain.text.utf8)) { expected += $0 }
                try stream.finish { expected += $0 }
                #expect(answer["Content-Length"] == "\(expected.count)")
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

    @Test func publishingMakesOneTenantsFilesAnew() async throws {
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
    func otherMethodsAreToldWhichTwoThereAre(_ method: HTTPRequest.Method) async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            let answer = try await service.publicPort(method, Self.apple, host: "one.example")

            #expect(answer.status == 405)
            #expect(answer["Allow"] == "GET, HEAD")
            #expect(answer.json?["code"]?.text == "method_not_allowed")
        }
    }

    /// Not even a route for any two segments, on a host whose links are answered with redirects.
    @Test(arguments: [
        "/.well-known/apple-app-site-association/", "//.well-known/apple-app-site-association",
        "/.well-known/apple-app-site-association.json", "/.well-known/other", "/.well-known//assetlinks.json",
    ])
    func nothingBesideTheFilesRedirects(_ path: String) async throws {
        try await withService { service in
            try await service.load(Self.tenant("one"))
            for host in ["one.example", "go.one.example"] {
                let answer = try await service.publicPort(.get, path, host: host)
                #expect(answer.status == 404 || answer.status == 200, "\(host)")
                #expect(answer["Location"] == nil)
            }
        }
    }

    @Test func hostOfNobodyHasNoFile() async throws {
        try await withService { service in
            let answer = try await service.publicPort(.get, Self.apple, host: "nobody.example")

            #expect(answer.status == 404)
            #expect(answer.json?["code"]?.text == "unknown_host")
        }
    }
}
