import Foundation

/// One keep-alive connection on a blocking socket. It needs little CPU time, so 64 of them leave the cores to the
/// server.
package final class HTTPConnection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    package struct Response: Sendable {
        package let status: Int
        package let head: String
        package let body: [UInt8]
        package var text: String { String(decoding: body, as: UTF8.self) }

        package func header(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).drop { $0 == " " } }.map(String.init)
        }
    }

    /// The connection broke. Whether the server received the request is unknown.
    package struct Broken: Error, CustomStringConvertible {
        package let description: String

        /// Includes the system call's error; the end of the stream has none.
        init(_ call: String, _ result: Int) {
            let reason = result < 0 ? String(cString: strerror(errno)) : "the peer ended the connection"
            description = "\(call): \(reason)"
        }

        init(_ description: String) { self.description = description }
    }

    /// An answer that takes longer than `seconds` throws, as a guard against hanging servers.
    ///
    /// - Parameter window: The receive buffer of the socket; nil for the system's default.
    package init(port: UInt16, seconds: Int = HangLimit.seconds, window: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var window {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // Throwing here releases the object, which closes the descriptor.
        guard connected == 0 else { throw Broken("connect", -1) }
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var noDelay: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    package func request(
        _ method: String,
        _ path: String,
        host: String = "localhost",
        headers: [String: String] = [:],
        body: String = ""
    ) throws -> Response {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: \(body.utf8.count)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        text += "\r\n" + body
        try begin(text)
        return try response()
    }

    /// Sends text that may be only a part of a request.
    package func begin(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Broken("send", count) }
            sent += count
        }
    }

    /// Closes the sending side. Answers can still be read.
    package func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until `holds` returns true or the server closes the connection.
    package func read(until holds: (String) -> Bool = { _ in false }) throws -> String {
        while !holds(String(decoding: buffer, as: UTF8.self)) {
            do { try fill() } catch  where errno == 0 || errno == ECONNRESET { break }
        }
        return String(decoding: buffer, as: UTF8.self)
    }

    package func response() throws -> Response {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = buffer.firstRange(of: end)?.upperBound
            if headEnd == nil { try fill() }
        }
        guard let headEnd else { throw Broken("an answer without a head") }
        let head = String(decoding: buffer[..<headEnd], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Broken("an answer that is not HTTP: \(head.prefix(100))")
        }
        let length =
            lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { $0.split(separator: ":").last }.flatMap { Int($0.filter { $0 != " " }) } ?? 0
        while buffer.count < headEnd + length { try fill() }
        let body = Array(buffer[headEnd..<(headEnd + length)])
        buffer.removeFirst(headEnd + length)
        return Response(status: status, head: head, body: body)
    }

    /// Returns when the first byte has arrived, and leaves it unread.
    package func awaitByte() throws {
        guard buffer.isEmpty else { return }
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
        guard count > 0 else { throw Broken("recv", count) }
    }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        errno = 0
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { throw Broken("recv", count) }
        buffer += chunk[..<count]
    }
}

/// Runs the blocking `body` on separate threads and returns when all have finished.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        body(index)
                        continuation.resume()
                    }
                }
            }
        }
    }
}
