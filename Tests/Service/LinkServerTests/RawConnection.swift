import Foundation
import HTTPTransport
import Hummingbird
import LinkServer
import NIOCore
import TestSupport
import Testing

/// A socket to a port, on which a test writes what no client library would. It blocks, so it is used on a thread of its own.
struct RawConnection: ~Copyable {
    private let descriptor: Int32

    struct Failed: Error {
        let call: String
        let code = errno
    }

    /// - Parameter window: What the system takes of answers before they are read; nil for as much as it likes.
    init(port: Int, source: String = "127.0.0.1", window: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var window {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
        }
        // A guard against servers that neither answer nor close.
        var patience = timeval(tv_sec: HangLimit.seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let from = try SocketAddress(ipAddress: source, port: 0)
        guard from.withSockAddr({ bind(descriptor, $0, socklen_t($1)) }) == 0 else { throw Failed(call: "bind") }
        let to = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        guard to.withSockAddr({ connect(descriptor, $0, socklen_t($1)) }) == 0 else { throw Failed(call: "connect") }
    }

    deinit { close(descriptor) }

    /// Whether all of it was taken; a peer that has closed takes nothing more.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var bytes = bytes
        while !bytes.isEmpty {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return false }
            bytes.removeFirst(count)
        }
        return true
    }

    /// Sends until the peer accepts nothing for half a second, and returns the remaining bytes.
    @discardableResult
    func sendUntilBlocked(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while !rest.isEmpty, poll(&room, 1, 500) > 0 {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return Array(rest)
    }

    /// Closes the sending side; answers are still read.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Breaks the connection: the peer's next read fails.
    func reset() {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        let devNull = open("/dev/null", O_RDONLY)
        dup2(devNull, descriptor)
        close(devNull)
    }

    /// What comes until the peer ends it.
    func readToEnd() throws -> String {
        var text: [UInt8] = []
        while let more = try read() { text += more }
        return String(decoding: text, as: UTF8.self)
    }

    /// What comes until `text` holds.
    func read(until holds: (String) -> Bool) throws -> String {
        var text: [UInt8] = []
        while !holds(String(decoding: text, as: UTF8.self)), let more = try read() { text += more }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether something came, an end among it, within 100 ms.
    func hasAnswer() -> Bool {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 100) > 0
    }

    private func read() throws -> ArraySlice<UInt8>? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        // A peer that throws away what it has not read says so with a reset.
        guard count >= 0 || errno == ECONNRESET else { throw Failed(call: "recv") }
        return count > 0 ? chunk[..<count] : nil
    }
}

/// Runs what blocks on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

extension TestService {
    /// Opens the public port on a free one until `body` returns.
    func listening<Value: Sendable>(
        proxyProtocol: ProxyProtocol = .off,
        _ change: (inout ServerLimits) -> Void = { _ in },
        certificates: ServerCertificates? = nil,
        _ body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        var dependencies = dependencies
        var limits = dependencies.limits.current
        change(&limits)
        dependencies.limits = LiveLimits(limits)
        dependencies.proxyProtocol = proxyProtocol
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let address = ListenAddress(host: "127.0.0.1", port: 0)
        let server = buildPublicServer(dependencies, at: address, certificates: certificates) { found.yield($0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            return try await body(port)
        }
    }
}
