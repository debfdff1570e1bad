import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL
import TestSupport

#if os(Linux)
    import Glibc
#endif

/// A connection under TLS on which a test writes bytes, and reads those of HTTP/2 as frames.
struct SecureClient {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    static func connect(_ port: Int, _ configuration: TLSConfiguration, offering protocols: [String] = ["h2"])
        async throws -> Self
    {
        var configuration = configuration
        configuration.applicationProtocols = protocols
        let tls = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(Int64(HangLimit.seconds)))
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: tls, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return Self(channel: channel)
    }

    /// Closes the connection when `body` returns.
    func exchange<Value: Sendable>(_ body: (inout Exchange) async throws -> sending Value) async throws -> sending Value
    {
        try await channel.executeThenClose { inbound, outbound in
            var exchange = Exchange(channel.channel, bytes: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&exchange)
        }
    }

    struct Exchange {
        private let channel: any Channel
        fileprivate var bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        private var read = ByteBuffer()
        private var hpack = HPACKDecoder(allocator: ByteBufferAllocator())

        fileprivate init(
            _ channel: any Channel,
            bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
            outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        ) {
            self.channel = channel
            self.bytes = bytes
            self.outbound = outbound
        }

        /// A write fails once the server has closed the connection. What the server sent before that is still read.
        func send(_ bytes: ByteBuffer) async throws {
            do {
                try await outbound.write(bytes)
            } catch is ChannelError, is IOError, is NIOAsyncWriterError {
                return
            }
        }

        /// Sends `bytes` and closes the sending side, of TLS and TCP. On Linux the server reads all of it at once.
        func finish(sending bytes: ByteBuffer) async throws {
            #if os(Linux)
                try await channel.setOption(.tcpOption(.init(rawValue: TCP_CORK)), value: 1).get()
            #endif
            try await send(bytes)
            outbound.finish()
        }

        /// The preface, and no settings of our own.
        func begin() async throws {
            try await send(ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
            try await send(.frame(.settings))
        }

        /// Nil when the connection has ended.
        mutating func frame() async throws -> Frame? {
            while true {
                if read.readableBytes >= 9, let length = read.getInteger(at: read.readerIndex, as: UInt32.self),
                    read.readableBytes >= 9 + Int(length >> 8), let frame = readFrame()
                {
                    return frame
                }
                do {
                    guard let more = try await bytes.next(isolation: #isolation) else { return nil }
                    read.writeImmutableBuffer(more)
                } catch is NIOSSLError {
                    return nil
                }
            }
        }

        private mutating func readFrame() -> Frame? {
            guard let head = read.readInteger(as: UInt32.self), let flags = read.readInteger(as: UInt8.self),
                let stream = read.readInteger(as: UInt32.self), let payload = read.readSlice(length: Int(head >> 8))
            else { return nil }
            return Frame(type: UInt8(truncatingIfNeeded: head), flags: flags, stream: stream, payload: payload)
        }

        /// The `:status` of a frame with an answer's head.
        mutating func status(of frame: Frame) throws -> String? {
            try fields(of: frame).first { $0.name == ":status" }?.value
        }

        /// Each frame of headers is decoded once, in order.
        mutating func fields(of frame: Frame) throws -> [(name: String, value: String)] {
            var block = frame.payload
            return try hpack.decodeHeaders(from: &block).map { ($0.name, $0.value) }
        }

        /// What follows up to a frame of this type; that frame, or nil when the connection ended before.
        mutating func first(_ type: Frame.Kind) async throws -> Frame? {
            while let frame = try await frame() {
                if frame.kind == type { return frame }
            }
            return nil
        }
    }

    struct Frame {
        enum Kind: UInt8 {
            case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation
        }

        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: ByteBuffer

        var kind: Kind? { Kind(rawValue: type) }

        /// Of GOAWAY and RST_STREAM.
        var code: UInt32? { payload.getInteger(at: payload.writerIndex - 4) }
        static let enhanceYourCalm: UInt32 = 11
    }
}

extension ByteBuffer {
    static func frame(
        _ kind: SecureClient.Frame.Kind,
        flags: UInt8 = 0,
        stream: UInt32 = 0,
        _ payload: ByteBuffer = ByteBuffer()
    ) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.writeInteger(UInt32(payload.readableBytes) << 8 | UInt32(kind.rawValue))
        bytes.writeInteger(flags)
        bytes.writeInteger(stream)
        bytes.writeImmutableBuffer(payload)
        return bytes
    }

    /// A `GET`, whole unless its flags say otherwise.
    static func request(
        stream: UInt32,
        method: String = "GET",
        path: String = "/",
        fields: [(String, String)] = [(":authority", "localhost")],
        flags: UInt8 = 0x5
    ) throws -> ByteBuffer {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator(), useHuffmanEncoding: false, maxDynamicTableSize: 0)
        var block = ByteBuffer()
        let all = [(":method", method), (":scheme", "https"), (":path", path)] + fields
        try encoder.encode(headers: HPACKHeaders(all), to: &block)
        return .frame(.headers, flags: flags, stream: stream, block)
    }
}
