import Foundation
import TestSupport
import Testing

/// The rate limits of config/fingerpost.yaml take effect.
@Suite(.timeLimit(.minutes(15)))
struct RateLimitTests {
    private static let link = #"{"url": "yourapp://product/1"}"#

    private func statuses(environment: [String: String], headers: [[String: String]]) async throws -> [Int] {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory, environment: environment)
            defer { server.killNow() }
            let connection = try HTTPConnection(port: server.publicPort)
            return try headers.map {
                try connection.request("POST", "/resolve", headers: $0, body: Self.link).status
            }
        }
    }

    @Test func localToolsAreExemptByDefault() async throws {
        let statuses = try await statuses(environment: [:], headers: Array(repeating: [:], count: 250))
        #expect(statuses.allSatisfy { $0 == 200 })
    }

    @Test func limitAppliesToThemWithoutExemptions() async throws {
        let limits = [
            "FINGERPOST_RATE_LIMITS_EXEMPT": "", "FINGERPOST_RATE_LIMITS_ADDRESS_PER_SECOND": "1",
            "FINGERPOST_RATE_LIMITS_ADDRESS_BURST": "20",
        ]
        let statuses = try await statuses(environment: limits, headers: Array(repeating: [:], count: 60))
        #expect(statuses.prefix(20).allSatisfy { $0 == 200 })
        #expect(statuses.contains(429))
    }

    @Test func clientsOfATrustedProxyOnThisMachineAreNotExempt() async throws {
        let limits = [
            "FINGERPOST_TRUSTED_PROXIES": "127.0.0.1, ::1", "FINGERPOST_PROXIES_HEADER": "forwarded",
            "FINGERPOST_RATE_LIMITS_ADDRESS_PER_SECOND": "1", "FINGERPOST_RATE_LIMITS_ADDRESS_BURST": "20",
        ]
        let headers = Array(repeating: ["Forwarded": "for=\"[2001:db8::1]:4711\""], count: 60)
        let other = ["Forwarded": "for=\"[2001:db8:0:1::1]\""]
        let statuses = try await statuses(environment: limits, headers: headers + [other, [:]])
        #expect(statuses.prefix(60).contains(429))
        #expect(statuses.suffix(2) == [200, 200])
    }
}
