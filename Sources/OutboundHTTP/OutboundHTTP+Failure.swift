import AsyncHTTPClient
import NIOCore
import NIOSSL

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
            self.init(.notTrusted, url, "the certificate is not trusted (\(error))")
        } else {
            self.init(.unreachable, url, "\(error)")
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
