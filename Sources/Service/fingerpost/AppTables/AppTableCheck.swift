package import LinkRouting
package import LinkTable
import Networking

/// Checks the table that a server serves to an app, as `fingerpost table doctor` reports it.
package struct AppTableCheck: Sendable {
    /// The table that the server sends; nil if the app would refuse it.
    package private(set) var table: AppTable?
    package private(set) var findings: [Problem] = []

    package struct Problem: Sendable, Hashable {
        package let code: String
        package let severity: Finding.Severity
        package let message: String

        package var line: String { "\(severity.rawValue): \(message) (\(code))" }
    }

    /// A server signs a table again before it has fewer days left than this.
    private static let leastDaysLeft: Int64 = 7

    package init(
        _ scope: TableScope,
        _ download: AppTableDownload,
        keys: [TablePublicKey],
        now: Timestamp
    ) async throws {
        let plain = try await download.table(of: scope)
        guard plain.status == 200 else {
            note("not_served", "The server answered \(plain.status): \(plain.problem)")
            return
        }
        do {
            let table = try SignedTable.verify(plain.body, keys: keys, expecting: scope, at: now)
            self.table = table
            checkTimes(table, now)
        } catch {
            note(error.code, error.description)
        }
        if keys.count < 2 {
            note(
                "one_key",
                "Only one key was given. Pin the next key in the app as well. Otherwise a rotation of the key must "
                    + "wait for a release of the app.",
                .warning
            )
        }
        let tag = SignedTable.entityTag(of: plain.body)
        if plain.header("ETag") != tag {
            note("wrong_etag", "The ETag does not match the table, so each app downloads the table at every refresh.")
        }
        if plain.header("Content-Type") != SignedTable.mediaType {
            note("wrong_type", "The Content-Type is not \(SignedTable.mediaType).", .warning)
        }
        try await checkRevalidation(scope, download, tag)
        try await checkCompression(scope, download, plain.body)
    }

    private mutating func checkTimes(_ table: AppTable, _ now: Timestamp) {
        let left = (table.claims.expiresAt.milliseconds - now.milliseconds) / Timestamp.millisecondsPerDay
        guard left < Self.leastDaysLeft else { return }
        note(
            "expires_soon",
            "The table expires in \(left) days, although a server signs tables again every week.",
            .warning
        )
    }

    private mutating func checkRevalidation(
        _ scope: TableScope,
        _ download: AppTableDownload,
        _ tag: String
    ) async throws {
        let response = try await download.table(of: scope, headers: [("If-None-Match", tag)])
        guard response.status != 304 else { return }
        note(
            "not_revalidated",
            "The server answered a request with If-None-Match with \(response.status) instead of 304.",
            .warning
        )
    }

    private mutating func checkCompression(
        _ scope: TableScope,
        _ download: AppTableDownload,
        _ plain: [UInt8]
    ) async throws {
        let response = try await download.table(of: scope, headers: [("Accept-Encoding", "gzip")])
        guard response.header("Content-Encoding") == "gzip" else {
            return note(
                "not_compressed",
                "The table is not compressed for clients that accept gzip.",
                .warning
            )
        }
        var unpacked: [UInt8] = []
        let stream = try GunzipStream()
        do {
            try stream.write(response.body) { unpacked += $0 }
        } catch is GunzipStream.Failure {
            return note("damaged_gzip", "The compressed table is damaged; a proxy may change it.")
        }
        if unpacked != plain {
            note("other_bytes", "The compressed table differs from the uncompressed one. A proxy may change it.")
        }
    }

    private mutating func note(_ code: String, _ message: String, _ severity: Finding.Severity = .error) {
        findings.append(Problem(code: code, severity: severity, message: message))
    }
}
