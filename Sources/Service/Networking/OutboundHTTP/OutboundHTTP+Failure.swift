import AsyncHTTPClient
import Foundation
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
        } else if let cause = Self.handshakeError(error) {
            self.init(.unreachable, url, Self.handshakeReason(cause, host: URL(string: url)?.host ?? "the server"))
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
        case let error as NIOSSLError where error == .uncleanShutdown:
            return "the server closed the connection before the response was complete"
        default: return "\(error)"
        }
    }

    /// The error of a TLS handshake. In TLS 1.3, the server's verdict on the client arrives after it.
    private static func handshakeError(_ error: any Error) -> BoringSSLError? {
        if case .handshakeFailed(let cause)? = error as? NIOSSLError { return cause }
        return error as? BoringSSLError
    }

    /// Why there is no TLS connection, and what to do. The library's own text has the paths of its source files.
    private static func handshakeReason(_ error: BoringSSLError, host: String) -> String {
        guard error != .sslError([.eofDuringHandshake]) else {
            return "the server closed the connection during the TLS handshake with \(host); check that this port "
                + "serves TLS for this host"
        }
        let advice = "check the certificate and the TLS settings of the server"
        guard let code = code(of: error) else { return "the TLS handshake with \(host) failed; \(advice)" }
        let failure = "the TLS handshake with \(host) failed (\(code))"
        if code.contains("UNRECOGNIZED_NAME") {
            return "\(failure): the server has no certificate for this host; check the host"
        }
        if code.contains("CERTIFICATE_REQUIRED") {
            return "\(failure): the server requires a client certificate, and Fingerpost sends none; \(advice)"
        }
        if code.contains("HANDSHAKE_FAILURE") {
            return "\(failure): server and client have no TLS version and cipher suite in common, or the server "
                + "requires a client certificate; \(advice)"
        }
        let aboutParameters = [
            "PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "INSUFFICIENT_SECURITY", "NO_SHARED",
        ]
        if aboutParameters.contains(where: { code.contains($0) }) {
            return "\(failure): server and client have no TLS version and cipher suite in common; check the TLS "
                + "settings of the server"
        }
        return "\(failure); \(advice)"
    }

    /// Returns the reason code of BoringSSL, such as `SSLV3_ALERT_HANDSHAKE_FAILURE`; nil if the error has none.
    private static func code(of error: BoringSSLError) -> String? {
        let text = "\(error)"
        guard let marker = text.range(of: "OPENSSL_internal:") else { return nil }
        let code = text[marker.upperBound...].prefix { $0 == "_" || $0.isASCII && ($0.isUppercase || $0.isNumber) }
        return code.isEmpty ? nil : String(code)
    }

    private static func isAboutTrust(_ error: any Error) -> Bool {
        switch error {
        case is NIOSSLExtraError: true
        case NIOSSLError.handshakeFailed: "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
        default: false
        }
    }
}
