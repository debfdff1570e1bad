import Foundation
import HTTPTransport
import LinkServer
import Testing

struct BindErrorTests {
    @Test(
        arguments: [
            (EADDRINUSE, "admin: 127.0.0.1:80 is in use; choose another with --admin HOST:PORT"),
            (
                EADDRNOTAVAIL,
                "admin: 127.0.0.1:80 is not an address of this machine; choose another with --admin HOST:PORT"
            ),
            (
                EACCES,
                "admin: this user may not listen on 127.0.0.1:80; choose a port above 1023 with --admin HOST:PORT"
            ),
            (
                ENOBUFS,
                "admin: 127.0.0.1:80 cannot be opened (No buffer space available); choose another with --admin HOST:PORT"
            ),
        ]
    )
    func everyReasonHasAdvice(_ code: CInt, _ text: String) {
        #expect(BindError(.admin, at: ListenAddress(host: "127.0.0.1", port: 80), errno: code).description == text)
    }

    @Test func unknownHostIsNamed() {
        let failure = BindError(.public, at: ListenAddress(host: "nowhere", port: 0), .unknownHost)
        #expect(
            failure.description
                == "public: the host 'nowhere' does not resolve to an address; choose another with --public HOST:PORT"
        )
    }
}
