import CoreMetrics
import Foundation
import HTTPTransport
import LinkCatalog
import LinkRouting
import MetricsTestKit
import Networking
import Testing

@testable import LinkServer

struct AdmissionTests {
    private static func policy(_ change: (inout AdmissionPolicy) -> Void = { _ in }) -> AdmissionPolicy {
        var policy = AdmissionPolicy()
        policy.address = RateLimit(perSecond: 1, burst: 2)
        policy.authentication = RateLimit(perSecond: 1, burst: 3)
        change(&policy)
        return policy
    }

    private func admission(_ policy: AdmissionPolicy, metrics: any MetricsFactory = NOOPMetricsHandler.instance)
        -> Admission
    {
        Admission(policy, seed: 5, metrics: metrics) { 1_000_000_000_000 }
    }

    private func client(_ text: String) -> ClientAddress { ClientAddress(NetworkAddress(text)) }

    private func admitted(_ admission: Admission, _ caller: Admission.Caller, of count: Int = 10) -> Int {
        (0..<count).count { _ in admission.admit(caller) == nil }
    }

    @Test func addressesAreCountedByThemselvesAndIPv6ByItsNetwork() {
        let admission = admission(Self.policy())
        #expect(admitted(admission, .address(client("203.0.113.1"))) == 2)
        #expect(admitted(admission, .address(client("::ffff:203.0.113.1"))) == 0)
        #expect(admitted(admission, .address(client("203.0.113.2"))) == 2)
        #expect(admitted(admission, .address(client("2001:db8:0:1::1"))) == 2)
        #expect(admitted(admission, .address(client("2001:db8:0:1:ffff::2"))) == 0)
        #expect(admitted(admission, .address(client("2001:db8:0:2::1"))) == 2)
        #expect(admitted(admission, .address(ClientAddress(nil))) == 2)
    }

    @Test func exemptAddressesHaveNoLimitUnlessTheyHideAClient() {
        let admission = admission(Self.policy())
        #expect(admitted(admission, .address(client("127.0.0.1"))) == 10)
        #expect(admitted(admission, .wrongKey(client("::1"))) == 10)
        #expect(admitted(admission, .address(ClientAddress(NetworkAddress("127.0.0.1"), isHidden: true))) == 2)
        #expect(admitted(admission, .address(ClientAddress(nil))) == 2)
    }

    @Test func scopesAreCountedApart() throws {
        let tenant = try #require(TenantID("shop"))
        let admission = admission(
            Self.policy {
                $0.key = RateLimit(perSecond: 1, burst: 4)
                $0.tenant = RateLimit(perSecond: 1, burst: 5)
            }
        )
        #expect(admitted(admission, .address(client("203.0.113.1"))) == 2)
        #expect(admitted(admission, .wrongKey(client("203.0.113.1"))) == 3)
        #expect(admitted(admission, .key(KeyID(rawValue: "one"))) == 4)
        #expect(admitted(admission, .key(KeyID(rawValue: "two"))) == 4)
        #expect(admitted(admission, .tenant(tenant)) == 5)
    }

    @Test func withoutALimitEverythingIsAdmitted() throws {
        let tenant = try #require(TenantID("shop"))
        let admission = admission(.unlimited)
        for caller: Admission.Caller in [
            .address(client("203.0.113.1")), .wrongKey(client("203.0.113.1")), .key(KeyID(rawValue: "one")),
            .tenant(tenant),
        ] {
            #expect(admitted(admission, caller, of: 1_000) == 1_000)
        }
    }

    @Test func refusalNamesItsLimitAndTimeAndIsCounted() throws {
        let metrics = TestMetrics()
        let admission = admission(Self.policy(), metrics: metrics)
        func refusals(_ scope: String) throws -> Int64 {
            try metrics.expectCounter("fingerpost_rate_limited_total", [("scope", scope)]).totalValue
        }
        #expect(try refusals("address") == 0)
        _ = admitted(admission, .address(client("203.0.113.1")), of: 2)
        let refusal = try #require(admission.admit(.address(client("203.0.113.1"))))
        #expect(refusal.scope == .address && refusal.retryAfter == 1)
        let problem = Problem(refusal)
        #expect(problem.code == .rateLimited && problem.code.status == 429)
        #expect(
            problem.hints == [.rateLimit(scope: "address", burst: 2, window: 2, seconds: 1)]
        )
        #expect(try refusals("address") == 1)
        #expect(try refusals("tenant") == 0)
    }

    @Test func newPolicyHoldsAtOnce() {
        let admission = admission(Self.policy())
        #expect(admitted(admission, .address(client("203.0.113.1"))) == 2)
        admission.update(Self.policy { $0.address = RateLimit(perSecond: 1, burst: 6) })
        #expect(admitted(admission, .address(client("203.0.113.1"))) == 4)
        admission.update(Self.policy { $0.address = nil })
        #expect(admitted(admission, .address(client("203.0.113.1"))) == 10)
    }

    /// Measures the cost for reports; nothing depends on the result. ADMISSION_BENCH sets the number of calls.
    @Test func costOfACall() {
        let count = ProcessInfo.processInfo.environment["ADMISSION_BENCH"].flatMap { Int($0) } ?? 0
        guard count > 0 else { return }
        let admission = admission(Self.policy { $0.address = RateLimit(perSecond: 1_000_000, burst: 1_000_000) })
        let start = ContinuousClock.now
        for index in 0..<count {
            let address = NetworkAddress(four: UInt32(truncatingIfNeeded: index &* 2_654_435_761))
            _ = admission.admit(.address(ClientAddress(address)))
        }
        print("admit: \((ContinuousClock.now - start) / count) a call")
    }
}
