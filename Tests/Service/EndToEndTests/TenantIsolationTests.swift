import Foundation
import LinkRouting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)))
struct TenantIsolationTests {
    /// Alternates between the hosts of two tenants on the same connections.
    @Test func twoTenantsAskedInTurnUnderLoadNeverSeeEachOther() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let wrong = Mutex<[String]>([])
            let seen = Mutex(0)
            await onThreads(32) { client in
                guard let connection = try? HTTPConnection(port: server.publicPort) else { return }
                for number in 0..<200 {
                    let isTaxi = (client + number) % 2 == 0
                    let host = isTaxi ? "farechoice.taxi" : "medium.com"
                    let (own, other) =
                        isTaxi ? ("taxi.farechoice.app", "com.medium") : ("com.medium", "taxi.farechoice.app")
                    let file = try? connection.request("GET", "/.well-known/apple-app-site-association", host: host)
                    let resolved = try? connection.request(
                        "POST",
                        "/resolve",
                        body: #"{"url":"https://\#(host)/m/signin","context":{"platform":"ios"}}"#
                    )
                    guard let file, let resolved else { continue }
                    let isRight =
                        file.text.contains(own) && !file.text.contains(other)
                        && resolved.text.contains(#""tenant":"\#(isTaxi ? "taxi" : "magazine")""#)
                    if !isRight { wrong.withLock { $0.append(file.text + resolved.text) } }
                    seen.withLock { $0 += 1 }
                }
            }
            #expect(wrong.withLock(\.self) == [])
            #expect(seen.withLock(\.self) == 32 * 200)
        }
    }
}
