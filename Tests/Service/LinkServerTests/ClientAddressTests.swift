import Networking
import Testing

@testable import LinkServer

struct ClientAddressTests {
    private static func proxies(_ header: ForwardingHeader) -> TrustedProxies {
        var proxies = TrustedProxies()
        proxies.ranges = ["10.0.0.0/8", "fd00::/8"].compactMap { AddressRange($0) }
        proxies.header = header
        return proxies
    }

    private func client(
        _ peer: String,
        _ lines: [String],
        in header: ForwardingHeader = .xForwardedFor
    ) -> ClientAddress {
        Self.proxies(header).client(of: NetworkAddress(peer), lines: lines)
    }

    @Test(arguments: ["203.0.113.7", "127.0.0.1", "192.168.0.1", "::1", "11.0.0.1"])
    func headersOfUntrustedPeersAreIgnored(peer: String) throws {
        let peerAddress = try #require(NetworkAddress(peer))
        #expect(client(peer, ["198.51.100.1"]) == ClientAddress(peerAddress))
        #expect(client(peer, ["for=198.51.100.1"], in: .forwarded) == ClientAddress(peerAddress))
        #expect(
            TrustedProxies().client(of: peerAddress, lines: ["for=198.51.100.1"])
                == ClientAddress(peerAddress)
        )
    }

    @Test(arguments: [
        (["203.0.113.7"], "203.0.113.7"),
        // Entries left of the one that the proxy added are the client's own.
        (["198.51.100.1, 203.0.113.7"], "203.0.113.7"), (["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
        (["10.9.9.9, 198.51.100.1, 203.0.113.7"], "203.0.113.7"), (["127.0.0.1, 203.0.113.7"], "203.0.113.7"),
        // Two trusted proxies.
        (["198.51.100.1, 203.0.113.7, 10.0.0.2"], "203.0.113.7"), (["203.0.113.7,10.0.0.2", "fd00::1"], "203.0.113.7"),
        (["203.0.113.7", "10.0.0.3", "10.0.0.2"], "203.0.113.7"),
        // If all entries are trusted proxies, the leftmost one is the client.
        (["10.0.0.4, 10.0.0.3"], "10.0.0.4"), ([], "10.0.0.1"), ([""], "10.0.0.1"), ([" , ,"], "10.0.0.1"),
        // Different notations of an address.
        (["203.0.113.7:4711"], "203.0.113.7"), (["[2001:db8::1]:4711"], "2001:db8::1"),
        (["[2001:db8::1]"], "2001:db8::1"),
        (["2001:DB8:0::1"], "2001:db8::1"), (["::ffff:203.0.113.7"], "203.0.113.7"), (["::ffff:10.0.0.7"], "10.0.0.7"),
        (["\t203.0.113.7 ,"], "203.0.113.7"), (["x, 203.0.113.7"], "203.0.113.7"),
    ])
    func headerIsReadFromRightToLeft(lines: [String], client named: String) {
        #expect(client("10.0.0.1", lines) == ClientAddress(NetworkAddress(named)))
        #expect(client("::ffff:10.0.0.1", lines).address == NetworkAddress(named == "10.0.0.1" ? "10.0.0.1" : named))
    }

    @Test(arguments: [
        (["unknown"], "10.0.0.1"), (["203.0.113.7, unknown"], "10.0.0.1"), (["203.0.113.7, x, 10.0.0.2"], "10.0.0.2"),
        (["203.0.113.7", "203.0.113.256", "10.0.0.2"], "10.0.0.2"), (["203.0.113.7:"], "10.0.0.1"),
        (["203.0.113.7:port"], "10.0.0.1"), (["203.0.113.7:123456"], "10.0.0.1"), (["[203.0.113.7]"], "10.0.0.1"),
        (["[2001:db8::1"], "10.0.0.1"), (["[2001:db8::1]x"], "10.0.0.1"), (["0203.0.113.7"], "10.0.0.1"),
        (["203.0.113.7 198.51.100.1"], "10.0.0.1"), (["\"203.0.113.7\""], "10.0.0.1"), (["::/0"], "10.0.0.1"),
    ])
    func unreadableEntryEndsAtTheLastTrustedProxy(lines: [String], last: String) {
        #expect(client("10.0.0.1", lines) == ClientAddress(NetworkAddress(last), isHidden: true))
    }

    @Test(arguments: [
        ("for=203.0.113.7", "203.0.113.7"), ("For=\"203.0.113.7:4711\";proto=https;by=10.0.0.1", "203.0.113.7"),
        ("for=\"[2001:db8::1]:4711\"", "2001:db8::1"), ("by=10.0.0.1; for=\"[2001:db8::1]\" ;", "2001:db8::1"),
        ("for=198.51.100.1, for=203.0.113.7", "203.0.113.7"), ("for=203.0.113.7, for=10.0.0.2", "203.0.113.7"),
        ("for=\"203.0.113.7:_gate\"", "203.0.113.7"), ("for=\"2\\03.0.113.7\"", "203.0.113.7"),
        ("for=198.51.100.1;host=\"a,b\", for=203.0.113.7;host=\"x\\\", for=1.1.1.1\"", "203.0.113.7"),
        // An unterminated quotation from the client does not absorb the entry that the proxy adds.
        ("for=\"198.51.100.1, for=203.0.113.7", "203.0.113.7"), ("for=\"x\\, for=203.0.113.7", "203.0.113.7"),
        (";;=,\",\"\\, for=203.0.113.7", "203.0.113.7"),
    ])
    func forwardedIsReadFromRightToLeft(line: String, named: String) {
        #expect(client("10.0.0.1", [line], in: .forwarded) == ClientAddress(NetworkAddress(named)))
    }

    @Test(arguments: [
        "for=unknown", "for=_hidden", "for=\"_hidden:4711\"", "proto=https", "for", "for=", "for=\"", "203.0.113.7",
        "for=203.0.113.7;for=198.51.100.1", "for=\"203.0.113.7\"x", "for=\"203.0.113.7", "=203.0.113.7",
        "for=203.0.113.7;x",
        "for=\"\\", "\"for=203.0.113.7\"",
    ])
    func unreadableForwardedEndsAtTheProxy(line: String) {
        #expect(client("10.0.0.1", [line], in: .forwarded) == ClientAddress(NetworkAddress("10.0.0.1"), isHidden: true))
    }

    @Test func endlessChainsEnd() {
        let line = Array(repeating: "10.0.0.2", count: 5_000).joined(separator: ",")
        #expect(client("10.0.0.1", ["203.0.113.7, " + line]).address == NetworkAddress("10.0.0.2"))
    }

    /// No bytes from a client trap or affect the entries to their right.
    @Test func randomBytesNeverHideTheNextEntry() {
        let alphabet = Array("for=\"\\;,[]:_.1\t x%é".unicodeScalars)
        var state: UInt64 = 5
        for _ in 0..<5_000 {
            let noise = (0..<(state >> 33) % 24).reduce(into: "") { text, _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text.unicodeScalars.append(alphabet[Int((state >> 33) % UInt64(alphabet.count))])
            }
            state = state &* 6_364_136_223_846_793_005 &+ 1
            _ = client("10.0.0.1", [noise])
            _ = client("10.0.0.1", [noise], in: .forwarded)
            let named = ClientAddress(NetworkAddress("203.0.113.7"))
            #expect(client("10.0.0.1", [noise + ",203.0.113.7"]) == named, "\(noise)")
            #expect(client("10.0.0.1", [noise + ",for=203.0.113.7"], in: .forwarded) == named, "\(noise)")
            #expect(client("10.0.0.1", [noise + ",for=\"203.0.113.7\""], in: .forwarded) == named, "\(noise)")
        }
    }
}
