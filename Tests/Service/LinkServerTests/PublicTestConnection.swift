import HTTPTypes
import LinkRouting
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

@testable import HTTPTransport
@testable import LinkServer

/// An HTTP/1 connection to the public port: all handlers of a real one, in memory.
struct PublicTestConnection {
    private let channel = NIOAsyncTestingChannel()

    init(_ dependencies: ServerDependencies, from peer: String = "203.0.113.77") async throws {
        let address = try SocketAddress(ipAddress: peer, port: 40_000)
        channel.remoteAddress = address
        try await channel.connect(to: address).get()
        let connection = publicConnection(dependencies)
        try await channel.eventLoop.flatSubmit { [channel] in connection.setUp(channel) }.get()
    }

    /// Sends a request and returns its response.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        host: String,
        headers: HTTPFields = [:],
        body: String = ""
    ) async throws -> TestResponse {
        var text = "\(method.rawValue) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
        for field in headers { text += "\(field.name.rawName): \(field.value)\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        let bytes = Array("\(text)\r\n\(body)".utf8)
        try await write(bytes)
        return try await response(isHead: method == .head)
    }

    func write(_ bytes: [UInt8]) async throws {
        // As a socket would: a read is never longer.
        for start in stride(from: 0, to: bytes.count, by: ConnectionLimits.readBytes) {
            let part = bytes[start..<min(start + ConnectionLimits.readBytes, bytes.count)]
            try await channel.writeInbound(ByteBuffer(bytes: part))
        }
    }

    /// Ends the connection, as a client that leaves and whose system refuses further bytes.
    func close() async throws { try await channel.close() }

    /// Ends the input, as a client that leaves or that sends nothing more, and lets two seconds pass.
    func closeInput() async throws {
        try await channel.eventLoop.submit { [channel] in
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }.get()
        await channel.testingEventLoop.advanceTime(by: .seconds(2))
    }

    private func response(isHead: Bool) async throws -> TestResponse {
        var bytes: [UInt8] = []
        while true {
            let part = try await channel.waitForOutboundWrite(as: IOData.self)
            if case .byteBuffer(let buffer) = part { bytes += buffer.readableBytesView }
            if let response = TestResponse(bytes, isHead: isHead) { return response }
        }
    }
}

extension TestResponse {
    /// - Returns: Nil if the response is incomplete.
    init?(_ bytes: [UInt8], isHead: Bool) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        var headers = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { return nil }
            headers.append(HTTPField(name: name, value: String(parts[1].dropFirst())))
        }
        let body = Array(bytes[end.upperBound...])
        let length = isHead ? 0 : headers[.contentLength].flatMap { Int($0) } ?? 0
        guard body.count >= length else { return nil }
        self.init(status: status, headers: headers, body: body)
    }
}
