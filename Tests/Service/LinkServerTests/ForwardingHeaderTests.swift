import HTTPTypes
import Networking
import Testing

@testable import LinkServer

/// The header fields from which the client's address is read. `ClientAddressTests` covers their contents.
struct ForwardingHeaderTests {
    private func client(_ header: ForwardingHeader, _ fields: HTTPFields) -> ClientAddress {
        var proxies = TrustedProxies()
        proxies.ranges = ["10.0.0.0/8"].compactMap { AddressRange($0) }
        proxies.header = header
        return proxies.client(of: NetworkAddress("10.0.0.1"), headers: fields)
    }

    @Test func linesOfTheHeaderAreReadInOrder() throws {
        var fields = HTTPFields()
        for line in ["198.51.100.1", "203.0.113.7"] {
            fields.append(HTTPField(name: ForwardingHeader.xForwardedFor.name, value: line))
        }
        #expect(client(.xForwardedFor, fields) == ClientAddress(NetworkAddress("203.0.113.7")))
        let forwarded: HTTPFields = [ForwardingHeader.forwarded.name: "for=203.0.113.7"]
        #expect(client(.forwarded, forwarded) == ClientAddress(NetworkAddress("203.0.113.7")))
    }

    @Test func onlyTheConfiguredHeaderIsRead() {
        let peer = ClientAddress(NetworkAddress("10.0.0.1"))
        #expect(client(.forwarded, [ForwardingHeader.xForwardedFor.name: "198.51.100.1"]) == peer)
        #expect(client(.xForwardedFor, [ForwardingHeader.forwarded.name: "for=198.51.100.1"]) == peer)
    }
}
