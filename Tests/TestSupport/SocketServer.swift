import Foundation
import Synchronization

/// An HTTP server that writes what the test says, byte by byte. It answers one connection after the other.
package final class SocketServer: Sendable {
    package enum Answer: Sendable {
        /// Writes this, and closes the connection.
        case text(String)
        case bytes([UInt8])
        /// Writes this as soon as the client has sent something that is no HTTP, and closes the connection.
        case bytesAtOnce([UInt8])
        /// Writes this, then one byte each 20 milliseconds, without an end.
        case drip(after: String)
        /// Writes this, then as many bytes as the client takes.
        case flood(after: String)
        /// Never writes.
        case silence
    }

    package struct SetUpFailed: Error {}

    package let port: UInt16
    private let listener: CInt
    private struct State: Sendable {
        var requests: [String] = []
        var hasSentAll = false
        var hasEnded = false
    }
    private let state = Mutex(State())

    /// - Parameter answers: In the order of the connections; the last one repeats.
    package init(_ answers: Answer...) throws {
        listener = socket(AF_INET, Self.stream, 0)
        guard listener >= 0 else { throw SetUpFailed() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else {
            close(listener)
            throw SetUpFailed()
        }
        Thread.detachNewThread { [self] in
            var number = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                answer(connection, answers[min(number, answers.count - 1)])
                close(connection)
                number += 1
            }
            close(listener)
        }
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif

    /// Ends the thread.
    package func end() {
        state.withLock { $0.hasEnded = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    package var requests: [String] { state.withLock { $0.requests } }
    /// Whether a flood has ended.
    package var hasSentAll: Bool { state.withLock { $0.hasSentAll } }
    private var hasEnded: Bool { state.withLock { $0.hasEnded } }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    private func answer(_ connection: CInt, _ answer: Answer) {
        if case .bytesAtOnce(let bytes) = answer {
            var buffer = Array(repeating: UInt8(0), count: 16_384)
            guard recv(connection, &buffer, buffer.count, 0) > 0 else { return }
            _ = write(bytes, connection)
            return
        }
        let request = receive(connection)
        state.withLock { $0.requests.append(request) }
        switch answer {
        case .bytesAtOnce: break
        case .text(let text): _ = write(Array(text.utf8), connection)
        case .bytes(let bytes): _ = write(bytes, connection)
        case .drip(let head):
            guard write(Array(head.utf8), connection) else { return }
            while !hasEnded, write([0x20], connection) { usleep(20_000) }
        case .flood(let head):
            guard write(Array(head.utf8), connection) else { return }
            let block = Array(repeating: UInt8(0x20), count: 64 << 10)
            // Until it closes the connection, a client on a busy machine keeps all received bytes in memory.
            while !hasEnded, write(block, connection) { usleep(2_000) }
            state.withLock { $0.hasSentAll = true }
        case .silence:
            // The client closes the connection, or the test ends.
            var byte: UInt8 = 0
            var patience = timeval(tv_sec: 0, tv_usec: 50_000)
            setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            while !hasEnded {
                if recv(connection, &byte, 1, 0) == 0 { return }
            }
        }
    }

    /// Reads the head and as much of a body as `Content-Length` says.
    private func receive(_ connection: CInt) -> String {
        var bytes: [UInt8] = []
        var buffer = Array(repeating: UInt8(0), count: 4_096)
        while bytes.count < 1 << 20 {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length = text.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).filter(\.isNumber)) }
                if text[end.upperBound...].utf8.count >= length ?? 0 { break }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(_ bytes: [UInt8], _ connection: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Self.noSignal) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
