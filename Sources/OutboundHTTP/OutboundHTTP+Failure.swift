import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension OutboundHTTP {
    /// The reason why there is no response.
    package struct Failure: Error, CustomStringConvertible {
        package enum Kind: Sendable {
            case unknownHost, privateAddress, notTrusted, timedOut, tooLarge, unreachable
        }

        package let kind: Kind
        package let url: String
        package let reason: String

        init(_ kind: Kind, _ url: String, _ reason: String) {
            self.kind = kind
            self.url = url
            self.reason = reason
        }

        package var description: String { "the request to \(url) failed: \(reason)" }
    }
}

extension OutboundHTTP.Failure {
    init(_ error: any Error, url: String, timeout: TimeAmount, maximumBytes: Int) {
        let timeouts: [HTTPClientError] = [.deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout]
        if let error = error as? HTTPClientError, timeouts.contains(error) {
            self.init(.timedOut, url, "it timed out after \(timeout.nanoseconds / 1_000_000) ms")
        } else if error is NIOTooManyBytesError {
            self.init(.tooLarge, url, "the response has more than \(maximumBytes) bytes")
        } else if Self.isAboutTrust(error) {
            let cause =
                error is NIOSSLExtraError
                ? "it is not for this host" : "it is self-signed, expired, or signed by an unknown authority"
            self.init(.notTrusted, url, "the certificate is not trusted: \(cause)")
        } else if "\(error)".contains("WRONG_VERSION_NUMBER") {
            self.init(.unreachable, url, "the server does not use TLS at this port; use http:// or the port with TLS")
        } else {
            self.init(.unreachable, url, Self.reason(error))
        }
    }

    /// The usual reasons in plain words.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            return (error.dnsAError ?? error.dnsAAAAError ?? error.connectionErrors.first?.error).map(reason)
                ?? "\(error)"
        case let error as SocketAddressError.UnknownHost:
            return "the name '\(error.host)' is unknown; check the address"
        case is SocketAddressError: return "the name of the host is unknown; check the address"
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            return "nothing accepts connections there; check that the server runs, and its address and port"
        case let error as IOError where error.errnoCode == ECONNRESET:
            return "the server closed the connection"
        case let error as IOError where error.errnoCode == EHOSTUNREACH || error.errnoCode == ENETUNREACH:
            return "there is no route to the host; check the address and the network"
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            return "the server closed the connection before it answered"
        default: return "\(error)"
        }
    }

    private static func isAboutTrust(_ error: any Error) -> Bool {
        switch error {
        case is NIOSSLExtraError: true
        case NIOSSLError.handshakeFailed: "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
        default: false
        }
    }
}
