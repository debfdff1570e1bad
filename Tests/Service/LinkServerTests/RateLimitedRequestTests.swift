import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import Networking
import Testing

@testable import LinkServer

/// Rate limits as clients see them, on both ports.
@Suite(.timeLimit(.minutes(15)))
struct RateLimitedRequestTests {
    private static let link = #"{"url": "yourapp://product/1"}"#

    private static func policy(_ change: (inout AdmissionPolicy) -> Void) -> AdmissionPolicy {
        var policy = AdmissionPolicy.unlimited
        change(&policy)
        return policy
    }

    @Test func addressAboveItsLimitGetsRetryAfterAndIsNotRecorded() async throws {
        let policy = Self.policy { $0.address = RateLimit(perSecond: 2, burst: 3) }
        try await withService(admitting: policy) { service in
            for _ in 0..<3 { #expect(try await service.resolve(Self.link).status == 200) }
            let refused = try await service.resolve(Self.link)
            #expect(refused.status == 429)
            #expect(refused["Content-Type"] == "application/problem+json")
            #expect(refused["Retry-After"] == "1")
            #expect(refused["RateLimit-Policy"] == "\"address\";q=3;w=2")
            #expect(refused["RateLimit"] == "\"address\";r=0;t=1")
            #expect(refused.json?["code"]?.text == "rate_limited" && refused.json?["scope"]?.text == "address")
            // All requests of an address count together. Other addresses are not affected.
            #expect(try await service.publicPort(.get, "/openapi.json").status == 429)
            #expect(try await service.adminPort(.get, "/admin/v1/tenants", key: nil).status == 429)
            #expect(try await service.opsPort("/livez").status == 200)
            let other = try await service.publicPort(.post, "/resolve", body: Self.link, from: "203.0.113.78")
            #expect(other.status == 200)
            #expect(try await service.events(of: "shop").count == 4)
            let text = service.dependencies.metrics.exposition()
            #expect(text.contains("fingerpost_rate_limited_total{scope=\"address\"} 3\n"))
            service.clock.advance(seconds: 1)
            #expect(try await service.resolve(Self.link).status == 200)
        }
    }

    /// The body of a refused request is not read: a body that is too large gets 429, not 413.
    @Test func addressIsCountedBeforeTheBody() async throws {
        let policy = Self.policy { $0.address = RateLimit(perSecond: 1, burst: 1) }
        try await withService(admitting: policy) { service in
            let unreadable = try await service.resolve("{")
            #expect(unreadable.status == 400)
            #expect(try await service.resolve(String(repeating: "x", count: 1 << 20)).status == 429)
        }
    }

    @Test func spoofedHeadersChangeNothing() async throws {
        let policy = Self.policy { policy in
            policy.address = RateLimit(perSecond: 1, burst: 2)
            policy.proxies.ranges = ["10.0.0.0/8"].compactMap { AddressRange($0) }
        }
        try await withService(admitting: policy) { service in
            func resolve(_ forwarded: String, from peer: String) async throws -> Int {
                let headers: HTTPFields = [ForwardingHeader.xForwardedFor.name: forwarded]
                return try await service.publicPort(
                    .post,
                    "/resolve",
                    headers: headers,
                    body: Self.link,
                    from: peer
                ).status
            }
            // The header is ignored if the peer is not a trusted proxy.
            for count in 0..<4 {
                let status = try await resolve("198.51.100.\(count)", from: "203.0.113.1")
                #expect(status == (count < 2 ? 200 : 429))
            }
            // Behind the proxy, clients are identified by the address that the proxy added.
            for count in 0..<4 {
                let line = "127.0.0.1, 198.51.100.\(count), 203.0.113.2"
                let status = try await resolve(line, from: "10.0.0.1")
                #expect(status == (count < 2 ? 200 : 429))
            }
            #expect(try await resolve("203.0.113.3", from: "10.0.0.1") == 200)
            let addresses = try await service.events(of: "shop").compactMap(\.address)
            #expect(addresses == Array(repeating: "203.0.113.0/24", count: 5))
        }
    }

    @Test func countryIsThatOfTheClientBehindTheProxy() async throws {
        let policy = Self.policy { $0.proxies.ranges = ["10.0.0.0/8"].compactMap { AddressRange($0) } }
        let locate: @Sendable (NetworkAddress) -> String? = { $0 == NetworkAddress("198.51.100.9") ? "FR" : nil }
        try await withService(locating: locate, admitting: policy) { service in
            let answer = try await service.publicPort(
                .post,
                "/resolve",
                headers: [ForwardingHeader.xForwardedFor.name: "198.51.100.9"],
                body: Self.link,
                from: "10.0.0.1"
            )
            #expect(answer.status == 200)
            let event = try #require(try await service.events(of: "shop").first)
            #expect(event.country == "FR" && event.address == "198.51.100.0/24")
        }
    }

    @Test func keyWithALimitIsNotCountedOnItsAddress() async throws {
        let policy = Self.policy { policy in
            policy.address = RateLimit(perSecond: 1, burst: 1)
            policy.key = RateLimit(perSecond: 1, burst: 3)
        }
        try await withService(admitting: policy) { service in
            let key = try service.makeKey(scopes: [.resolve])
            let headers: HTTPFields = [.authorization: "Bearer \(key)"]
            #expect(try await service.resolve(Self.link).status == 200)
            #expect(try await service.resolve(Self.link).status == 429)
            for _ in 0..<3 { #expect(try await service.resolve(Self.link, headers: headers).status == 200) }
            let refused = try await service.resolve(Self.link, headers: headers)
            #expect(refused.status == 429 && refused.json?["scope"]?.text == "key")
            // An invalid key does not bypass the limit of the address either.
            let wrong = try await service.resolve(Self.link, headers: [.authorization: "Bearer fp_x"])
            #expect(wrong.status == 429 && wrong.json?["scope"]?.text == "address")
        }
    }

    @Test func wrongKeysAreLockedOutAndTheCorrectOneWorks() async throws {
        let policy = Self.policy { $0.authentication = RateLimit(perSecond: 1, burst: 3) }
        try await withService(admitting: policy) { service in
            let key = try service.makeKey()
            for _ in 0..<3 {
                #expect(try await service.adminPort(.get, "/admin/v1/tenants", key: "fp_wrong").status == 401)
            }
            let refused = try await service.adminPort(.get, "/admin/v1/tenants", key: "fp_wrong")
            #expect(refused.status == 429 && refused.json?["scope"]?.text == "authentication")
            #expect(refused["Retry-After"] == "1")
            let resolve = try await service.resolve(Self.link, headers: [.authorization: "Bearer fp_wrong"])
            #expect(resolve.status == 429)
            // Another client may share the address.
            #expect(try await service.adminPort(.get, "/admin/v1/tenants", key: key).status == 200)
            #expect(try await service.adminPort(.get, "/admin/v1/tenants", key: nil).status == 401)
            let other = try await service.adminPort(.get, "/admin/v1/tenants", key: "fp_wrong", from: "203.0.113.78")
            #expect(other.status == 401)
        }
    }

    @Test func tenantAtItsLimitCostsNoOther() async throws {
        let policy = Self.policy { $0.tenant = RateLimit(perSecond: 1, burst: 3) }
        try await withService(admitting: policy) { service in
            let key = try service.makeKey()
            let host = "go.yourappdomain.com"
            #expect(try await service.resolve(Self.link).status == 200)
            #expect(try await service.publicPort(.get, "/nothing", host: host).status == 302)
            let file = "/.well-known/apple-app-site-association"
            #expect(try await service.publicPort(.get, file, host: host).status == 200)
            let before = try await service.events(of: "shop").count
            for answer in [
                try await service.resolve(Self.link), try await service.publicPort(.get, "/nothing", host: host),
                try await service.publicPort(.get, file, host: host),
                try await service.adminPort(.get, "/admin/v1/tenants/shop/settings", key: key),
            ] {
                #expect(answer.status == 429 && answer.json?["scope"]?.text == "tenant")
            }
            #expect(try await service.events(of: "shop").count == before)
            #expect(try await service.publicPort(.get, file, host: "farechoice.taxi").status == 200)
            // Requests without a key do not consume the tenant's limit.
            for _ in 0..<5 {
                let answer = try await service.adminPort(.get, "/admin/v1/tenants/taxi/settings", key: "fp_wrong")
                #expect(answer.status == 401)
            }
            #expect(try await service.adminPort(.get, "/admin/v1/tenants/taxi/settings", key: key).status == 200)
        }
    }

    // MARK: Messages

    private static func batch(_ count: Int, padding: Int = 0) -> String {
        let links = (0..<count).map { #""yourapp://product/\#($0)?x=\#(String(repeating: "x", count: padding))""# }
        return #"{"links": [\#(links.joined(separator: ", "))]}"#
    }

    /// A message costs its links, and its head has paid for one of them. Later requests wait for what exceeds the burst.
    @Test func linksOfABatchCountForTheAddress() async throws {
        let policy = Self.policy { $0.address = RateLimit(perSecond: 10, burst: 20) }
        try await withService(admitting: policy) { service in
            let (first, second) = (try await service.resolve(Self.batch(15)), try await service.resolve(Self.batch(15)))
            let third = try await service.resolve(Self.batch(15))
            #expect([first.status, second.status, third.status] == [200, 200, 429])
            // 11 requests too many, and 10 are admitted per second.
            #expect(third.json?["scope"]?.text == "address" && third["Retry-After"] == "2")
            #expect(try await service.events(of: "shop").count == 30)
            service.clock.advance(seconds: 2)
            #expect(try await service.resolve(Self.link).status == 200)
        }
    }

    /// The defaults admit the largest batches of a client that sends one every few seconds.
    @Test func quietAddressMaySendALargeBatchByDefault() async throws {
        try await withService(admitting: AdmissionPolicy()) { service in
            let answer = try await service.resolve(Self.batch(100, padding: 2_400))
            #expect(answer.status == 200)
            #expect(try await service.events(of: "shop").count == 100)
            service.clock.advance(seconds: 2)
            #expect(try await service.resolve(Self.batch(100)).status == 200)
        }
    }

    /// With a burst below its links, a message costs the burst, or no time would be long enough for it.
    @Test func batchAboveTheBurstIsAdmittedWhenTheAddressIsQuiet() async throws {
        let policy = Self.policy { $0.address = RateLimit(perSecond: 10, burst: 10) }
        try await withService(admitting: policy) { service in
            let first = try await service.resolve(Self.batch(100))
            let second = try await service.resolve(Self.link)
            #expect([first.status, second.status] == [200, 429])
            service.clock.advance(seconds: 1)
            #expect(try await service.resolve(Self.batch(100)).status == 200)
        }
    }

    @Test func bytesOfAMessageCountIfTheyAreMoreThanItsLinks() async throws {
        let policy = Self.policy { $0.address = RateLimit(perSecond: 1, burst: 8) }
        try await withService(admitting: policy) { service in
            // 7 KB are 4 times 2 KiB, in a message and in a click.
            let message = try await service.resolve(Self.batch(2, padding: 3_500))
            let path = "/product/1?x=" + String(repeating: "x", count: 7_000)
            let click = try await service.publicPort(.get, path, host: "go.yourappdomain.com")
            let next = try await service.publicPort(.get, "/", host: "go.yourappdomain.com")
            #expect([message.status, click.status, next.status] == [200, 302, 429])
        }
    }

    @Test func reportsOfAMessageCountForTheAddress() async throws {
        let policy = Self.policy { $0.address = RateLimit(perSecond: 1, burst: 4) }
        try await withService(admitting: policy) { service in
            try await service.load(AppEventTests.acme())
            func reports(_ message: Int) -> String {
                AppEventTests.batch(
                    AppEventTests.event("a\(message)"),
                    AppEventTests.event("b\(message)"),
                    AppEventTests.event("c\(message)")
                )
            }
            let first = try await service.publicPort(.post, "/_fp/events", body: reports(0))
            let second = try await service.publicPort(.post, "/_fp/events", body: reports(1))
            let refused = try await service.publicPort(.post, "/_fp/events", body: reports(2))
            #expect([first.status, second.status, refused.status] == [200, 200, 429])
            #expect(refused.json?["scope"]?.text == "address" && refused["Retry-After"] == "3")
            #expect(try await service.events(of: "acme").count == 6)
        }
    }

    /// The limit of a key counts messages; that of the tenant counts its links.
    @Test func batchOfAKeyWithALimitIsOneRequest() async throws {
        let policy = Self.policy { policy in
            policy.address = RateLimit(perSecond: 1, burst: 1)
            policy.key = RateLimit(perSecond: 1, burst: 2)
        }
        try await withService(admitting: policy) { service in
            let headers: HTTPFields = [.authorization: "Bearer \(try service.makeKey(scopes: [.resolve]))"]
            let statuses = [
                try await service.resolve(Self.batch(100), headers: headers).status,
                try await service.resolve(Self.batch(100), headers: headers).status,
                try await service.resolve(Self.batch(1), headers: headers).status,
            ]
            #expect(statuses == [200, 200, 429])
        }
    }

    /// Each link of a batch counts for its tenant.
    @Test func linksOfABatchCountEach() async throws {
        let policy = Self.policy { $0.tenant = RateLimit(perSecond: 1, burst: 5) }
        try await withService(admitting: policy) { service in
            let batch = #"{"links": ["yourapp://product/1", "yourapp://product/2", "yourapp://product/3"]}"#
            let (first, second) = (try await service.resolve(batch), try await service.resolve(batch))
            let third = try await service.resolve(Self.link)
            #expect([first.status, second.status, third.status] == [200, 200, 429])
            #expect(try await service.events(of: "shop").count == 6)
            service.clock.advance(seconds: 2)
            #expect(try await service.resolve(Self.link).status == 200)
        }
    }
}
