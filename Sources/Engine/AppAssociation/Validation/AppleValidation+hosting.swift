import LinkRouting

extension AppleValidation {
    /// Checks the HTTP response of the file's URL (TN3155; content types as Apple's CDN is observed to accept them).
    mutating func check(_ hosting: AssociationHosting) {
        if hosting.isRedirect {
            add(
                .redirect,
                .file,
                "The URL redirects\(hosting.target) with status \(hosting.status); Apple does not follow it, so no "
                    + "link on the host opens an app.",
                fix: "Serve the file with status 200 on this host itself."
            )
        } else if hosting.status != 200 {
            add(
                .notServed,
                .file,
                "The URL answers with status \(hosting.status); Apple accepts only 200, so no link on the host "
                    + "opens an app.",
                fix: hosting.status == 404
                    ? "Serve the file at /.well-known/apple-app-site-association, without an extension; some hosts drop "
                        + "folders whose name begins with a dot."
                    : "Serve the file to every client, without login, geo-fencing or bot protection; Apple's user "
                        + "agent is AASA-Bot."
            )
        } else if hosting.mediaType != "application/json" {
            add(
                .contentType,
                .file,
                "The content type is '\(hosting.contentType ?? "")'. Apple's CDN has been seen to accept other "
                    + "types, but "
                    + (hosting.mediaType == "text/html"
                        ? "this one is usually sent by a catch-all page." : "it promises only application/json."),
                fix: "Send 'Content-Type: application/json'."
            )
        }
    }
}

extension AppleValidation {
    /// Checks the envelope of a signed file. Returns whether its content can be read.
    mutating func checkEnvelope(_ bytes: [UInt8]) -> Bool {
        guard SignedFile.content(of: bytes) != nil else {
            add(
                .signed,
                .error,
                .file,
                "The file is signed (CMS), but its envelope holds no content that can be read; nothing was checked.",
                fix: "Serve the JSON itself, unsigned. To keep the signature, sign with 'openssl cms -sign -nodetach "
                    + "-binary -outform DER'."
            )
            return false
        }
        add(
            .signed,
            .file,
            "The file is signed (CMS). Only iOS 8 required that. Positions are those of the JSON inside.",
            fix: "Serve the JSON itself, unsigned."
        )
        add(
            .signature,
            .file,
            "The signature was not verified; only the content was checked.",
            fix: "Verify it with 'openssl cms -verify -inform DER', or serve the JSON unsigned."
        )
        return true
    }
}

/// The response of Apple's CDN for a host. Devices with iOS 14, macOS 11 and later read it instead of the host's file.
///
/// Source: the observed headers of `https://app-site-association.cdn-apple.com/a/v1/HOST`. Apple documents the CDN but
/// not its headers.
public struct AppleCDNResponse: Sendable, Hashable {
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
                        + "\(triedURL ?? "the host"). Devices do not get the file.",
                    fix:
                        "Let the user agent AASA-Bot through from any address. The CDN retries after about an hour; "
                        + "a retry cannot be requested."
                )
            ]
        }
        guard let origin, origin != body else { return [] }
        return [
            AssociationFinding(
                .cdnStale,
                .info,
                message:
                    "Apple's CDN has a different file (\(body.count) bytes) from the one that the host serves "
                    + "(\(origin.count) bytes). It caches a file for about six hours, and devices ask it about once a "
                    + "week.",
                fix: "Wait, or test with '?mode=developer' in the entitlement, which fetches the file from the host "
                    + "itself."
            )
        ]
    }
}
