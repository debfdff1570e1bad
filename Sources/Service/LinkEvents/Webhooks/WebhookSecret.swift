import Crypto
package import LinkRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A secret shared with a receiver, in the format of https://www.standardwebhooks.com: `whsec_` and base64. Never
/// printed.
package struct WebhookSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private let key: SymmetricKey

    /// Returns nil unless the text is `whsec_` and base64 of 24 to 64 bytes.
    package init?(_ text: some StringProtocol) {
        guard text.hasPrefix("whsec_"), let bytes = Data(base64Encoded: String(text.dropFirst("whsec_".count))),
            (24...64).contains(bytes.count)
        else { return nil }
        key = SymmetricKey(data: bytes)
    }

    package var description: String { "whsec_…" }
    package var debugDescription: String { description }

    /// Returns `v1,` and the base64 of the HMAC-SHA256 of `ID.SECONDS.BODY`.
    func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(id).\(seconds).".utf8) + body, using: key)
        return "v1," + Data(code).base64EncodedString()
    }
}

extension [WebhookSecret] {
    /// Returns the headers of one attempt. Every secret signs, so that a receiver can rotate from one secret to the
    /// next.
    package func headers(id: String, at now: Timestamp, body: [UInt8]) -> [(String, String)] {
        let seconds = now.milliseconds / 1_000
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", map { $0.signature(id: id, seconds: seconds, body: body) }.joined(separator: " ")),
        ]
    }
}
