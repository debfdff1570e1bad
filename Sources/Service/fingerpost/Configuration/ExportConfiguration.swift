import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import NIOCore
import Networking

/// The keys below `exports`: the sink and the webhook. Secrets come from files that only their owner can read, or from
/// the environment. They have no keys, so that printing the configuration cannot reveal them.
struct ExportConfiguration {
    private let values: [(key: String, value: String)]
    /// Nil for the folder `exports` beside the databases.
    private let directory: String?
    private let s3: S3?
    /// A key of a bucket that is not used; nil if there is none.
    let unused: String?
    /// Nil if no webhook is configured.
    let webhook: Webhook?

    private struct S3 {
        let location: S3Location
        let credentials: S3Credentials
        let timeout: TimeAmount
    }

    /// In the order of config/fingerpost.yaml.
    static let keys = [
        "exports.sink", "exports.directory", "exports.s3.endpoint", "exports.s3.bucket", "exports.s3.region",
        "exports.s3.prefix", "exports.s3.addressing", "exports.s3.credentialsFile", "exports.s3.timeoutSeconds",
        "exports.webhook.url", "exports.webhook.reach", "exports.webhook.allowPrivate", "exports.webhook.secretFile",
    ]
    static let secretVariable = "FINGERPOST_EXPORTS_WEBHOOK_SECRET"

    private enum Sink: String, CaseIterable {
        case directory, s3
    }

    private enum Reach: String, CaseIterable {
        case `public`, anywhere
    }

    /// - Parameter text: Returns the value of a key, or the given default.
    init(
        data: String,
        environment: [String: String],
        text: (_ key: String, _ standard: String) -> String,
        number: (_ key: String, _ standard: Int, _ range: ClosedRange<Int>) throws -> Int
    ) throws {
        let standards = [
            "exports.sink": "directory", "exports.directory": DataDirectory.exports(in: data),
            "exports.s3.region": "us-east-1",
            "exports.s3.addressing": "path", "exports.s3.timeoutSeconds": "60", "exports.webhook.reach": "public",
        ]
        let values = Self.keys.map { (key: $0, value: text($0, standards[$0] ?? "")) }
        func value(_ key: String) -> String { values.first { $0.key == "exports." + key }?.value ?? "" }
        self.values = values
        directory = value("directory") == standards["exports.directory"] ? nil : value("directory")
        let timeout = try number("exports.s3.timeoutSeconds", 60, 1...3_600)
        let addressing: S3Location.Addressing = try .read("exports.s3.addressing", value("s3.addressing"))
        switch try Sink.read("exports.sink", value("sink")) {
        case .directory:
            guard directory?.isEmpty != true else {
                throw ServiceConfiguration.Invalid("exports.directory", "is empty; write the path of a directory.")
            }
            unused = values.first { $0.key.hasPrefix("exports.s3.") && $0.value != standards[$0.key] ?? "" }?.key
            s3 = nil
        case .s3:
            unused = nil
            s3 = S3(
                location: try Self.location(value, addressing),
                credentials: try Self.credentials(file: value("s3.credentialsFile"), environment),
                timeout: .seconds(Int64(timeout))
            )
        }
        let reach = try Self.reach(
            try .read("exports.webhook.reach", value("webhook.reach")),
            allowPrivate: value("webhook.allowPrivate")
        )
        webhook = try Self.webhook(value("webhook.url"), reach, secretFile: value("webhook.secretFile"), environment)
    }

    /// The values as `fingerpost config` prints them.
    var effective: [(key: String, value: String)] { values }

    /// The credentials for the bucket; nil if exports go to a directory.
    var credentials: S3Credentials? { s3?.credentials }

    /// Why exports cannot be written to their directory, and what to do; nil if they can, or if they go to a bucket.
    func directoryProblem(in data: DataDirectory) -> String? { s3 == nil ? directorySink(in: data).problem : nil }

    private func directorySink(in data: DataDirectory) -> DirectoryExportSink {
        DirectoryExportSink(directory: directory ?? data.exportsPath)
    }

    /// Creates the sink.
    ///
    /// - Parameter latest: Returns the current credentials if they have been replaced; nil otherwise.
    func makeSink(in data: DataDirectory, latest: @escaping @Sendable () -> S3Credentials? = { nil }) -> any ExportSink
    {
        guard let s3 else { return directorySink(in: data) }
        return S3ExportSink(
            S3Client(
                location: s3.location,
                credentials: latest() ?? s3.credentials,
                http: OutboundHTTP(timeout: s3.timeout, maximumBytes: 16 << 20),
                now: SystemClock.now,
                sleep: { try await Task.sleep(for: $0) }
            )
        )
    }

    // MARK: S3

    private static func location(_ value: (String) -> String, _ addressing: S3Location.Addressing) throws -> S3Location
    {
        do {
            return try S3Location(
                endpoint: value("s3.endpoint"),
                bucket: value("s3.bucket"),
                region: value("s3.region"),
                prefix: value("s3.prefix"),
                addressing: addressing
            )
        } catch let error as S3Location.Invalid {
            let key = "s3." + error.key
            let shown = error.key == "endpoint" ? value(key).withoutCredentials : value(key)
            throw ServiceConfiguration.Invalid("exports.\(key)", "is '\(shown)'; \(error.message).")
        }
    }

    /// Reads the credentials from AWS's own variables, or from a file in AWS's format (`aws_access_key_id = …` and so
    /// on). Sections in the file are ignored.
    private static func credentials(file: String, _ environment: [String: String]) throws -> S3Credentials {
        var found = environment.filter { $0.key.hasPrefix("AWS_") }
        if !file.isEmpty {
            found = [:]
            for line in try SecretFile.read(file, key: "exports.s3.credentialsFile").split(whereSeparator: \.isNewline)
            {
                let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2 { found[parts[0].uppercased()] = parts[1] }
            }
        }
        guard let id = found["AWS_ACCESS_KEY_ID"], !id.isEmpty, let secret = found["AWS_SECRET_ACCESS_KEY"],
            !secret.isEmpty
        else {
            guard file.isEmpty else {
                throw ServiceConfiguration.Invalid(
                    "exports.s3.credentialsFile",
                    "is '\(file)', which has no aws_access_key_id and aws_secret_access_key."
                )
            }
            throw ServiceConfiguration.Invalid(
                "exports.sink",
                "is s3, which needs credentials: set exports.s3.credentialsFile, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
            )
        }
        return S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: found["AWS_SESSION_TOKEN"])
    }

    // MARK: Webhook

    private static func reach(_ reach: Reach, allowPrivate: String) throws -> OutboundHTTP.Reach {
        let ranges = try ServiceConfiguration.ranges("exports.webhook.allowPrivate", allowPrivate)
        return reach == .anywhere ? .anywhere : .publicAddresses(and: ranges)
    }

    private static func webhook(
        _ url: String,
        _ reach: OutboundHTTP.Reach,
        secretFile: String,
        _ environment: [String: String]
    ) throws -> Webhook? {
        guard !url.isEmpty else { return nil }
        let parts = URL(string: url)
        let schemes: Set<String> = if case .anywhere = reach { ["https", "http"] } else { ["https"] }
        guard parts?.user == nil, parts?.password == nil else {
            throw ServiceConfiguration.Invalid(
                "exports.webhook.url",
                "is '\(url.withoutCredentials)'; remove the user and the password: each request is signed instead."
            )
        }
        guard let parts, let scheme = parts.scheme, schemes.contains(scheme), parts.host?.isEmpty == false else {
            throw ServiceConfiguration.Invalid(
                "exports.webhook.url",
                "is '\(url.withoutCredentials)'; write https://HOST/PATH (http:// only with exports.webhook.reach: anywhere)."
            )
        }
        let text =
            secretFile.isEmpty
            ? environment[secretVariable] ?? "" : try SecretFile.read(secretFile, key: "exports.webhook.secretFile")
        let lines = text.split(whereSeparator: \.isWhitespace)
        let secrets = lines.compactMap { WebhookSecret($0) }
        guard !secrets.isEmpty, secrets.count == lines.count else {
            throw ServiceConfiguration.Invalid(
                "exports.webhook.url",
                "needs a secret: put whsec_ and the base64 of 24 to 64 random bytes, one per line, in the file of exports.webhook.secretFile or in \(secretVariable)."
            )
        }
        let http = OutboundHTTP(timeout: .seconds(15), maximumBytes: 1 << 20, reach: reach)
        return Webhook(url: url, secrets: secrets, http: http)
    }
}

extension String {
    /// The text of a URL for messages. Everything before the last `@` may be a user and a password, even if the text is not
    /// a valid URL.
    fileprivate var withoutCredentials: String {
        guard let at = lastIndex(of: "@") else { return self }
        let scheme = self[..<at].firstRange(of: "://").map { self[..<$0.upperBound] } ?? ""
        return "\(scheme)…\(self[at...])"
    }
}

/// A file that contains a secret.
enum SecretFile {
    /// Returns the file's text. Throws if users other than the owner may read the file.
    ///
    /// - Parameter creation: The command that creates the file, if there is one.
    static func read(_ path: String, key: String, creation: String? = nil) throws -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let failure = FileFailure("open", path)
            guard failure.code == ENOENT else { throw ServiceConfiguration.Invalid(key, "is '\(path)': \(failure).") }
            let advice = creation.map { "'\($0)' creates it" } ?? "check the path"
            throw ServiceConfiguration.Invalid(key, "is '\(path)', which does not exist; \(advice).")
        }
        // Kubernetes mounts secrets as root's, readable by the group of the process.
        let othersRights: mode_t = status.st_uid == 0 && geteuid() != 0 ? 0o037 : 0o077
        guard status.st_mode & othersRights == 0 else {
            throw ServiceConfiguration.Invalid(
                key,
                "is '\(path)', which other users can read; run: chmod 600 \(path)"
            )
        }
        guard access(path, R_OK) == 0 else {
            throw ServiceConfiguration.Invalid(
                key,
                "is '\(path)', which this user may not read; docs/deployment.md, \"Secret files\", tells how the service may."
            )
        }
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ServiceConfiguration.Invalid(
                key,
                "is '\(path)', which cannot be read: \(unreadableReason(path, error))."
            )
        }
    }
}
