import LinkRouting

extension AppleValidation {
    /// Checks the HTTP response of the file's URL (TN3155; content types as Apple's CDN is observed to accept them).
    mutating func check(_ hosting: AssociationHosting) {
        if hosting.isRedirect {
            add(
                .redirect,
                .file,
                "The URL redirects\(hosting.target) with status \(hosting.status); Apple does not follow, so no link of the "
                    + "host opens any app.",
                fix: "Answer with status 200 on this very host."
            )
        } else if hosting.status != 200 {
            add(
                .notServed,
                .file,
                "The URL answers with status \(hosting.status); Apple takes only 200, so no link of the host opens any app.",
                fix: hosting.status == 404
                    ? "Serve the file at /.well-known/apple-app-site-association, without an extension; some hosts drop "
                        + "folders whose name begins with a dot."
                    : "Answer everybody with the file, without login, geo-fencing or bot protection: Apple asks as AASA-Bot."
            )
        } else if hosting.mediaType != "application/json" {
            add(
                .contentType,
                .file,
                "The content type is '\(hosting.contentType ?? "")'. Apple's CDN is seen to take others, but "
                    + (hosting.mediaType == "text/html"
                        ? "this one is usually sent by a catch-all page." : "promises only application/json."),
                fix: "Send 'Content-Type: application/json'."
            )
        }
    }
}

/// The response of Apple's CDN for a host. Devices with iOS 14, macOS 11 and later read it instead of the host's file.
///
/// Source: the observed headers of `https://app-site-association.cdn-apple.com/a/v1/HOST`. Apple documents the CDN but
/// not its headers.
public struct AppleCDNAnswer: Sendable, Hashable {
    /// The HTTP status code.
    public var status: Int
    /// The header `Apple-Failure-Reason`, such as `SWCERR00101 Bad HTTP Response: 404`.
    public var failureReason: String?
    /// The header `Apple-From`: the URL that the CDN tried.
    public var triedURL: String?
    public var body: [UInt8]

    public init(status: Int, failureReason: String? = nil, triedURL: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.failureReason = failureReason
        self.triedURL = triedURL
        self.body = body
    }

    /// Returns the findings on the response.
    /// - Parameter origin: The file as the host itself serves it; nil if it serves none.
    public func findings(origin: [UInt8]?) -> [AssociationFinding] {
        guard status == 200 else {
            return [
                AssociationFinding(
                    .cdnFailure,
                    .error,
                    message: "Apple's CDN answers \(status)\(failureReason.map { " (\($0))" } ?? ""); it tried "
                        + "\(triedURL ?? "the host"). Devices learn nothing of the file.",
                    fix:
                        "Let the user agent AASA-Bot through from any address. The CDN asks again after about an hour; it "
                        + "can not be told to."
                )
            ]
        }
        guard let origin, origin != body else { return [] }
        return [
            AssociationFinding(
                .cdnStale,
                .info,
                message:
                    "Apple's CDN holds another file (\(body.count) bytes) than the host serves (\(origin.count) bytes). It "
                    + "keeps one for about six hours, and devices ask it about once a week.",
                fix: "Wait, or test with '?mode=developer' in the entitlement, which asks the host itself."
            )
        ]
    }
}
