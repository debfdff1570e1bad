import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Networking
import TestSupport
import Testing

@testable import HTTPTransport

struct ProxyHeaderTests {
    private func header(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? rest.count
        return ProxyHeaderBytes.signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + rest
    }

    private func read(_ bytes: [UInt8]) -> ProxyHeader { ProxyHeader(ByteBuffer(bytes: bytes).readableBytesView) }

    @Test func sourceIsRead() {
        let source = NetworkAddress("203.0.113.7")
        #expect(read(ProxyHeaderBytes.four) == .whole(bytes: 28, source: source))
        #expect(read(ProxyHeaderBytes.four + Array("GET /".utf8)) == .whole(bytes: 28, source: source))
        let six = [UInt8](repeating: 0xFE, count: 16)
        let rest = six + [UInt8](repeating: 0, count: 20)
        #expect(read(header(0x21, 0x21, rest)) == .whole(bytes: 52, source: NetworkAddress(bytes: six)))
        // An IPv4-mapped IPv6 address is the IPv4 client.
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255, 203, 0, 113, 7]
        #expect(read(header(0x21, 0x21, mapped + six + [0, 1, 0, 2])) == .whole(bytes: 52, source: source))
        // Further TLVs follow the addresses.
        let extended = header(0x21, 0x11, Array(ProxyHeaderBytes.four[16...]) + [0x04, 0, 3, 1, 2, 3])
        #expect(read(extended) == .whole(bytes: 34, source: source))
    }

    @Test func headerWithoutAClientAddressHasNoSource() {
        #expect(read(header(0x20, 0x00, [])) == .whole(bytes: 16, source: nil))
        #expect(read(header(0x20, 0x11, Array(ProxyHeaderBytes.four[16...]))) == .whole(bytes: 28, source: nil))
        #expect(read(header(0x20, 0xFF, [1, 2])) == .whole(bytes: 18, source: nil))
        #expect(read(header(0x21, 0x00, [])) == .whole(bytes: 16, source: nil))
        #expect(read(header(0x21, 0x31, [UInt8](repeating: 0, count: 216))) == .whole(bytes: 232, source: nil))
    }

    @Test func everyBeginningOfAHeaderIsUnfinished() {
        for count in 0..<ProxyHeaderBytes.four.count {
            #expect(read(Array(ProxyHeaderBytes.four[..<count])) == .unfinished)
        }
    }

    @Test func otherTextIsAMalformedHeader() {
        for bytes in [
            Array("GET / HTTP/1.1\r\n".utf8), Array("PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n".utf8), Array("\r\n\r\nG".utf8),
            [0],
            header(0x11, 0x11, Array(ProxyHeaderBytes.four[16...])),
            header(0x22, 0x11, Array(ProxyHeaderBytes.four[16...])),
            header(0x21, 0x41, Array(ProxyHeaderBytes.four[16...])),
            header(0x21, 0x13, Array(ProxyHeaderBytes.four[16...])),
            header(0x21, 0x11, [1, 2, 3]), header(0x21, 0x21, Array(ProxyHeaderBytes.four[16...])),
            header(0x21, 0x11, [], length: 4_081), header(0x20, 0x00, [], length: 65_535),
        ] {
            #expect(read(bytes) == .malformed, "\(bytes.prefix(20))")
        }
    }

    // MARK: On a connection

    /// A proxied connection that receives bytes. The channel keeps what passes the header.
    private struct Connection {
        let channel: EmbeddedChannel
        /// The client, once it is known.
        let client = NIOLockedValueBox<NetworkAddress?>(nil)

        init(from peer: String) throws {
            channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: peer, port: 1)).wait()
            channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 1)
            let isTrusted: @Sendable (NetworkAddress) -> Bool = { $0 == NetworkAddress("10.0.0.1") }
            try channel.setUpAfterProxyHeader(from: isTrusted, within: 5) { [client] channel, source in
                client.withLockedValue { $0 = source }
                return channel.eventLoop.makeSucceededVoidFuture()
            }.wait()
        }

        func send(_ bytes: some Collection<UInt8>) throws { try channel.writeInbound(ByteBuffer(bytes: Array(bytes))) }

        var readBytes: [UInt8] {
            var bytes: [UInt8] = []
            while let part = try? channel.readInbound(as: ByteBuffer.self) { bytes += Array(buffer: part) }
            return bytes
        }

        var read: String { String(decoding: readBytes, as: UTF8.self) }
    }

    @Test func bytesBehindTheHeaderAreReadHoweverItComes() throws {
        let whole = try Connection(from: "10.0.0.1")
        try whole.send(ProxyHeaderBytes.four + Array("GET /".utf8))
        #expect(whole.read == "GET /")
        #expect(whole.channel.isActive)

        let pieces = try Connection(from: "10.0.0.1")
        for byte in ProxyHeaderBytes.four + Array("GET".utf8) { try pieces.send([byte]) }
        #expect(pieces.read == "GET")
        try pieces.send(Array(" / HTTP".utf8))
        #expect(pieces.read == " / HTTP")
    }

    @Test func garbageClosesTheConnectionOfAProxyAtTheFirstWrongByte() throws {
        let connection = try Connection(from: "10.0.0.1")
        try connection.send(ProxyHeaderBytes.four[..<5])
        #expect(connection.channel.isActive)
        try? connection.send([0xFF])
        #expect(!connection.channel.isActive)
        #expect(connection.read == "")
    }

    @Test func slowHeaderAndShutdownCloseIt() throws {
        let slow = try Connection(from: "10.0.0.1")
        try slow.send(ProxyHeaderBytes.four[..<20])
        slow.channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!slow.channel.isActive)

        let stopped = try Connection(from: "10.0.0.1")
        stopped.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(!stopped.channel.isActive)

        let halved = try Connection(from: "10.0.0.1")
        halved.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!halved.channel.isActive)
    }

    @Test func deadlineEndsWithTheHeader() throws {
        let connection = try Connection(from: "10.0.0.1")
        try connection.send(ProxyHeaderBytes.four)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(connection.channel.isActive)
    }

    @Test func connectionOfAnUntrustedPeerIsReadWithoutAHeader() throws {
        let connection = try Connection(from: "203.0.113.7")
        try connection.send(ProxyHeaderBytes.four)
        #expect(connection.channel.isActive)
        #expect(connection.readBytes == ProxyHeaderBytes.four)
    }
}
