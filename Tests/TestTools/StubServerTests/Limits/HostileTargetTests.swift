import Foundation
import LinkRouting
import StubMatching
import StubServer
import TestSupport
import Testing

/// Targets of a proxy, and names of files and sessions, that must not end the server or lead out of it.
struct HostileTargetTests {
    @Test(arguments: [
        "HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 103 Early Hints\r\n\r\n", "nonsense", "",
    ])
    func answerThatIsNotHTTPIsReported(answer: String) async throws {
        let target = try SocketServer(.text(answer))
        defer { target.end() }
        try await withStubServer {
            $0.proxyAll = target.url("")
            $0.limits.proxySeconds = 5
        } _: { port in
            let client = try StubClient(port: port)
            for _ in 0..<2 {
                let response = try client.request("GET", "/a")
                #expect(response.status == 500)
                #expect(response.text.contains("the target \(target.url("")) did not answer"))
            }
        }
    }

    /// Without the check, the request would go round until no connection is free.
    @Test func targetThatLeadsBackIsReportedAndNotRecorded() async throws {
        try await withTemporaryDirectory { folder in
            try await StubExchange.run {
                $0.folder = folder
            } _: { exchange in
                try exchange.server.record(from: exchange.server.url, onlyMissing: false)
                let answer = try await exchange.send("GET", "/a")
                #expect(answer.status == 500)
                #expect(answer.text.contains("leads back to this stub server"), "\(answer.text)")
                let ended = try #require(try exchange.server.endRecording())
                #expect(ended.stubs == 0)
                #expect(
                    ended.omitted == [
                        "GET /a: the target is this stub server, or leads back to it; name the address of the real service"
                    ]
                )
            }
        }
    }

    /// A loop through another stub server is one, too.
    @Test func targetThatLeadsBackThroughAnotherServerIsReported() async throws {
        try await StubExchange.run { first in
            try await StubExchange.run { second in
                try await first.add(#"{"response":{"proxyBaseUrl":"\#(second.server.url)"}}"#)
                try await second.add(#"{"response":{"proxyBaseUrl":"\#(first.server.url)"}}"#)
                let answer = try await first.send("GET", "/a")
                #expect(answer.status == 500)
                #expect(answer.text.contains("leads back to this stub server"), "\(answer.text)")
            }
        }
    }

    /// A chain of proxies through one server is no loop, if it ends.
    @Test(arguments: [(4, 200), (16, 200), (17, 500)])
    func chainOfProxiesMayPassTheServerSixteenTimes(passes: Int, status: Int) async throws {
        try await StubExchange.run { exchange in
            try await exchange.add(
                #"""
                {"request":{"urlPattern":"/a/.*"},
                 "response":{"proxyBaseUrl":"\#(exchange.server.url)","proxyUrlPrefixToRemove":"/a"}}
                """#
            )
            try await exchange.add(#"{"request":{"url":"/end"},"response":{"body":"end"}}"#)
            let answer = try await exchange.send("GET", String(repeating: "/a", count: passes) + "/end")
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.text.contains("on 16 times; name the address") == (status == 500), "\(answer.text)")
        }
    }

    /// The stub that passes requests on is not one of the folder.
    @Test func serverThatRecordsIntoAnEmptyFolderHasNoStubs() async throws {
        try await withTemporaryDirectory { folder in
            try await StubExchange.run {
                $0.folder = folder
                $0.proxyAll = "http://127.0.0.1:1"
            } _: { exchange in
                try exchange.server.record(from: "http://127.0.0.1:1", onlyMissing: false)
                #expect(exchange.server.stubCount == 0)
                try await exchange.add(#"{"request":{"url":"/a"},"response":{}}"#)
                #expect(exchange.server.stubCount == 1)
            }
        }
    }

    @Test func filledTemplateMayNotNameAnInvalidPort() async throws {
        try await withStubServer {
            $0.templating = .everywhere
        } _: { port in
            let client = try StubClient(port: port)
            try client.admin(
                "POST",
                "mappings",
                .object(["response": .object(["proxyBaseUrl": .string("http://127.0.0.1:{{request.query.p}}")])])
            )
            let response = try client.request("GET", "/a?p=99999")
            #expect(response.status == 500)
            #expect(response.text.contains("'99999' is not a port; write 1 to 65535"))
        }
    }

    @Test func sessionMayNotSeeOrChangeOthers() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            for id in ["a", "b"] { try client.admin("POST", "sessions", .object(["id": .string(id)])) }
            for selection in StubClient.Selection.allCases {
                for (method, path) in [("GET", ""), ("GET", "/b"), ("DELETE", "/b"), ("DELETE", "/a"), ("POST", "")] {
                    let answer = try client.request(method, "/__admin/sessions\(path)", session: "a", by: selection)
                    #expect(answer.status == 403)
                }
            }
            #expect(try client.admin("GET", "sessions")["sessions"]?.elements?.count == 2)
            for id in [".", ".."] {
                let body = JSONNode.object(["id": .string(id)]).json()
                #expect(try client.request("POST", "/__admin/sessions", body: body).status == 422)
            }
        }
    }

    /// A link in `__files` leads out of the folder, and a pipe has no end.
    @Test func onlyRegularFilesOfTheFolderAreServedAndWritten() async throws {
        try await withTemporaryDirectory { directory in
            let files = FileManager.default
            let folder = "\(directory)/stubs/__files"
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try files.createDirectory(atPath: "\(directory)/outside", withIntermediateDirectories: true)
            try Data("secret".utf8).write(to: URL(filePath: "\(directory)/outside/s"))
            try Data("page".utf8).write(to: URL(filePath: "\(folder)/page"))
            try files.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "\(directory)/outside")
            try files.createSymbolicLink(atPath: "\(folder)/zero", withDestinationPath: "/dev/zero")
            #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
            try await withStubServer {
                $0.folder = "\(directory)/stubs"
            } _: { port in
                let client = try StubClient(port: port)
                #expect(try client.admin("GET", "files") == .array([.string("page")]))
                for name in ["link/s", "zero", "pipe", "link/new"] {
                    #expect(try client.request("GET", "/__admin/files/\(name)").status == 404)
                }
                #expect(try client.request("PUT", "/__admin/files/link/new", body: "x").status == 422)
                #expect(try client.request("PUT", "/__admin/files/sub/new", body: "x").status == 200)
                #expect(try client.request("GET", "/__admin/files/sub/new").text == "x")
            }
            #expect(try files.contentsOfDirectory(atPath: "\(directory)/outside") == ["s"])
        }
    }
}
