import Testing

@testable import HTTPTransport
@testable import LinkServer

/// The bytes of incomplete requests that all connections of the public port buffer.
@Suite(.timeLimit(.minutes(15)))
struct RequestBufferTests {
    /// A body of one link, and one that only a batch may have.
    @Test(arguments: [10_000, 100_000])
    func bodyBeyondTheBoundOfAllIsRefused(length: Int) async throws {
        try await withService { service in
            var dependencies = service.dependencies
            let buffers = RequestBufferBudget(limit: 1_000)
            dependencies.requestBuffers = buffers
            let limited = TestService(
                dependencies: dependencies,
                clock: service.clock,
                directory: service.directory,
                log: service.log
            )
            try await limited.listening { port in
                let answer = try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send("POST /resolve HTTP/1.1\r\nHost: a.example\r\nContent-Length: \(length)\r\n\r\n")
                    connection.send(String(repeating: " ", count: 5_000))
                    return try connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(answer.prefix(300))")
                #expect(answer.contains(#""code":"busy""#))
                #expect(answer.lowercased().contains("retry-after: 5"))
                #expect(answer.lowercased().contains("connection: close"))
                #expect(buffers.bytesReserved == 0)
                let small = try await onThread {
                    let connection = try RawConnection(port: port)
                    let body = #"{"url":"yourapp://product/1"}"#
                    let head = "POST /resolve HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n"
                    connection.send("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                    return try connection.readToEnd()
                }
                #expect(small.hasPrefix("HTTP/1.1 200 "))
                #expect(buffers.bytesReserved == 0)
            }
        }
    }
}
