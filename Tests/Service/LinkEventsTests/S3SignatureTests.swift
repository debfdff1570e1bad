import Crypto
import LinkEvents
import LinkRouting
import TestSupport
import Testing

/// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, including their keys.
struct S3SignatureTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        let signedHeaders: String
        let signature: String
        var testDescription: String { "\(method) \(path)" }
    }

    static let examples = [
        Example(
            method: "GET",
            path: "/test.txt",
            headers: [("Range", "bytes=0-9")],
            signedHeaders: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Example(
            method: "PUT",
            path: "/test%24file.text",
            headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.",
            signedHeaders: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Example(
            method: "GET",
            path: "/",
            query: [("lifecycle", "")],
            signedHeaders: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Example(
            method: "GET",
            path: "/",
            query: [("prefix", "J"), ("max-keys", "2")],
            signedHeaders: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    private let signer = S3Signature(
        credentials: S3Credentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        ),
        region: "us-east-1"
    )

    @Test(arguments: examples) func signatureIsThatOfTheExample(_ example: Example) throws {
        let digest = SHA256.hash(data: Array(example.body.utf8))
        let request = S3Signature.Request(
            method: example.method,
            path: example.path,
            query: example.query,
            headers: [("Host", "examplebucket.s3.amazonaws.com")] + example.headers,
            bodySHA256: digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        )
        let headers = signer.headers(for: request, at: instant("2013-05-24T00:00:00Z"))
        let authorization = try #require(headers.first { $0.0 == "Authorization" }?.1)
        #expect(
            authorization == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=\(example.signedHeaders),Signature=\(example.signature)"
        )
        #expect(headers.contains { $0.0 == "x-amz-date" && $0.1 == "20130524T000000Z" })
    }

    @Test func sessionTokenIsSigned() throws {
        let signer = S3Signature(
            credentials: S3Credentials(accessKeyID: "A", secretAccessKey: "B", sessionToken: "C"),
            region: "eu-west-1"
        )
        let request = S3Signature.Request(method: "GET", path: "/", headers: [("Host", "h")], bodySHA256: "")
        let headers = signer.headers(for: request, at: instant("2026-11-21T10:00:00Z"))
        #expect(headers.contains { $0 == ("x-amz-security-token", "C") })
        #expect(headers.last?.1.contains("host;x-amz-content-sha256;x-amz-date;x-amz-security-token") == true)
    }

    @Test func secretsAreNotPrinted() {
        let credentials = S3Credentials(accessKeyID: "AKID", secretAccessKey: "hush", sessionToken: "hush")
        #expect(!"\(credentials)\(String(reflecting: credentials))".contains("hush"))
        let secret = WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        #expect(!"\(String(reflecting: secret))".contains("MfKQ"))
    }

    @Test(arguments: [
        ("s3.example.com", "bucket", ""), ("ftp://s3.example.com", "bucket", ""),
        ("https://s3.example.com/x", "bucket", ""), ("https://", "bucket", ""), ("https://u@host", "bucket", ""),
        ("https://host", "Bucket", ""), ("https://host", "b", ""), ("https://host", "buck/et", ""),
        ("https://host", "bucket", "a/../b"),
    ])
    func wrongPlaceIsRefused(_ endpoint: String, _ bucket: String, _ prefix: String) {
        #expect(throws: S3Location.Invalid.self) {
            _ = try S3Location(
                endpoint: endpoint,
                bucket: bucket,
                region: "us-east-1",
                prefix: prefix,
                addressing: .path
            )
        }
    }

    /// The example of https://www.standardwebhooks.com, which its libraries test too.
    @Test func webhookSignatureIsThatOfTheStandard() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let headers = [secret].headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            at: Timestamp(milliseconds: 1_614_265_330_000),
            body: Array(#"{"test": 2432232314}"#.utf8)
        )
        #expect(headers.map(\.0) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(
            headers.map(\.1) == [
                "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ]
        )
    }

    @Test(arguments: ["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_not base64!"])
    func wrongWebhookSecretIsRejected(_ text: String) {
        #expect(WebhookSecret(text) == nil)
    }
}
