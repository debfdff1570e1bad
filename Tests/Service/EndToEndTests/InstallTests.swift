import Foundation
import LinkRouting
import TestSupport
import Testing

/// Install tokens of a server that is killed.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct InstallTests {
    /// Each server is killed while 64 clients claim the same token.
    @Test func tokenIsValidAfterEachKillAndCountedOnce() async throws {
        try await withTemporaryDirectory { directory in
            var server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let key = try #require(server.key)
            let click = try HTTPConnection(port: server.publicPort).request(
                "GET",
                "/product/7",
                host: "go.yourappdomain.com",
                headers: ["User-Agent": "Mozilla/5.0 (Linux; Android 15; Pixel 9) Mobile Safari/537.36"]
            )
            let store = try #require(click.header("Location"))
            let mark = try #require(store.firstRange(of: "%26fp%3D"), "\(store)")
            let body =
                #"{"tenant":"shop","app":"android","install":"i","token":"\#(store[mark.upperBound...])"}"#
            for answers in [1, 17, 40] {
                let running = server
                let ledger = Ledger()
                await onThreads(64) { client in
                    guard let connection = try? HTTPConnection(port: running.publicPort),
                        let answer = try? connection.request("POST", "/_fp/installs", body: body), answer.status == 200
                    else { return }
                    #expect(answer.text.contains(#""link":"https://go.yourappdomain.com/product/7""#), "\(answer.text)")
                    if ledger.acknowledge("\(client)") == answers { running.send(SIGKILL) }
                }
                #expect(ledger.acknowledged.count >= answers)
                _ = running.wait()
                server = try RunningServer(directory: directory)
            }
            let page = try HTTPConnection(port: server.adminPort).request(
                "GET",
                "/admin/v1/tenants/shop/events?limit=1000",
                headers: ["Authorization": "Bearer \(key)"]
            ).json()
            let events = page["events"]?.elements ?? []
            #expect(events.filter { $0["kind"]?.text == "install" }.count == 1)
            #expect(events.count == 2)
        }
    }
}
