import Foundation
import Synchronization

/// A webhook receiver on loopback with scripted replies, for one connection at a time.
final class WebhookReceiver: Sendable {
    struct Delivery: Sendable, Hashable {
        let headers: [String: String]
        let body: [UInt8]
    }

    enum Reply: Sendable {
        case status(Int)
        /// With this `Location`.
        case redirect(Int, to: String)
        /// Holds the connection until the client closes it.
        case silence
    }

    let port: UInt16
    private let listener: Int32
    private let state: Mutex<(replies: [Reply], deliveries: [Delivery])>

    struct CannotListen: Error {}

    /// Sends each of the replies in turn, then repeats the last one.
    init(_ replies: Reply...) throws {
        state = Mutex((replies, []))
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard bound else { throw CannotListen() }
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in serve() }.start()
    }

    var url: String { "http://127.0.0.1:\(port)/hook" }
    var deliveries: [Delivery] { state.withLock(\.deliveries) }

    /// Ends the thread that waits for connections.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else {
                close(listener)
                return
            }
            answer(connection)
            close(connection)
        }
    }

    private func answer(_ connection: Int32) {
        var bytes: [UInt8] = []
        var delivery: Delivery?
        while delivery == nil {
            guard let more = receive(connection) else { return }
            bytes += more
            delivery = Self.delivery(bytes)
        }
        guard let delivery else { return }
        let reply = state.withLock { state in
            state.deliveries.append(delivery)
            return state.replies.count > 1 ? state.replies.removeFirst() : state.replies[0]
        }
        switch reply {
        case .silence: while receive(connection) != nil {}
        case .status(let status): write("HTTP/1.1 \(status) X", to: connection)
        case .redirect(let status, let url): write("HTTP/1.1 \(status) X\r\nLocation: \(url)", to: connection)
        }
    }

    private func write(_ head: String, to connection: Int32) {
        let text = Array("\(head)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        _ = send(connection, text, text.count, Int32(MSG_NOSIGNAL))
    }

    private func receive(_ connection: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(connection, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private static func delivery(_ bytes: [UInt8]) -> Delivery? {
        guard let end = String(decoding: bytes, as: UTF8.self).range(of: "\r\n\r\n") else { return nil }
        let head = String(decoding: bytes, as: UTF8.self)[..<end.lowerBound]
        var headers: [String: String] = [:]
        for line in head.components(separatedBy: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        let body = Array(bytes.dropFirst(head.utf8.count + 4))
        return body.count == headers["content-length"].flatMap { Int($0) }
            ? Delivery(headers: headers, body: body) : nil
    }
}
