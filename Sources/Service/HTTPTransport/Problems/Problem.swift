package import LinkRouting

/// An error response that says what went wrong and how to correct it: RFC 9457 `application/problem+json` with a stable
/// code.
package struct Problem: Error, Equatable {
    package let code: Code
    package let detail: String
    package var findings: [Finding] = []
    /// Extension members (RFC 9457 §3.2), such as `conflicts`.
    package var extensions: [JSONNode.Member] = []
    package var hints: [Hint] = []

    /// What the response states in header fields.
    package enum Hint: Equatable, Sendable {
        case retryAfter(seconds: UInt64)
        case allowedMethods(String)
        case needsKey
        /// The quota of the limit's `scope` is `burst` requests in `window` seconds, and is used up for `seconds`.
        case rateLimit(scope: String, burst: Int, window: Int, seconds: UInt64)
    }

    package enum Code: String, CaseIterable, Sendable {
        case malformedJSON = "malformed_json"
        case invalidRequest = "invalid_request"
        case invalidTable = "invalid_table"
        case invalidSettings = "invalid_settings"
        case bodyTooLarge = "body_too_large"
        case documentTooLarge = "document_too_large"
        case uriTooLong = "uri_too_long"
        case headersTooLarge = "headers_too_large"
        case requestTimeout = "request_timeout"
        case unsupportedEncoding = "unsupported_encoding"
        case hostMismatch = "host_mismatch"
        case missingKey = "missing_key"
        case invalidKey = "invalid_key"
        case forbidden
        case explainForbidden = "explain_forbidden"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case unknownHost = "unknown_host"
        case unknownTenant = "unknown_tenant"
        case unknownRoute = "unknown_route"
        case unknownRevision = "unknown_revision"
        case unknownEnvironment = "unknown_environment"
        case unknownExport = "unknown_export"
        case unknownEvent = "unknown_event"
        case windowGone = "window_gone"
        case exportConflict = "export_conflict"
        case sinkUnavailable = "sink_unavailable"
        case unknownSuite = "unknown_suite"
        case unknownShortLink = "unknown_short_link"
        case unknownInstall = "unknown_install"
        case codeTaken = "code_taken"
        case invalidShortLink = "invalid_short_link"
        case tooManyShortLinks = "too_many_short_links"
        case unknownKey = "unknown_key"
        case keyInPath = "key_in_path"
        case tenantArchived = "tenant_archived"
        case tenantNotArchived = "tenant_not_archived"
        case noTable = "no_table"
        case noDraft = "no_draft"
        case tooManyDrafts = "too_many_drafts"
        case tooManySuites = "too_many_suites"
        case tooManyKeys = "too_many_keys"
        case tooManyRevisions = "too_many_revisions"
        case conflict
        case undoesChanges = "undoes_changes"
        case removesOthers = "removes_others"
        case suitesFailed = "suites_failed"
        case busy
        case idempotencyMismatch = "idempotency_mismatch"
        case idempotencyUnfinished = "idempotency_unfinished"
        case domainTaken = "domain_taken"
        case schemeTaken = "scheme_taken"
        case installsNotRecorded = "installs_not_recorded"
        case stale
        case rateLimited = "rate_limited"
        case continuationInvalid = "continuation_invalid"
        case continuationExpired = "continuation_expired"
        case logUnavailable = "log_unavailable"
        case diskFull = "disk_full"
        case storageUnavailable = "storage_unavailable"
        case notRecorded = "not_recorded"
        case unreadable
        case storedNotLive = "stored_not_live"
        case internalError = "internal_error"

        /// The HTTP status of the code.
        package var status: Int {
            switch self {
            case .malformedJSON, .invalidRequest, .hostMismatch, .continuationInvalid: 400
            case .missingKey, .invalidKey: 401
            case .forbidden, .explainForbidden: 403
            case .notFound, .unknownHost, .unknownTenant, .unknownRoute, .unknownRevision, .unknownExport,
                .unknownEvent, .unknownSuite, .unknownShortLink, .unknownInstall, .unknownKey:
                404
            case .methodNotAllowed: 405
            case .domainTaken, .schemeTaken, .tenantArchived, .tenantNotArchived, .noTable, .noDraft, .tooManyDrafts,
                .tooManySuites, .codeTaken, .tooManyShortLinks, .tooManyKeys, .tooManyRevisions, .idempotencyUnfinished,
                .exportConflict,
                .installsNotRecorded, .undoesChanges, .removesOthers:
                409
            case .continuationExpired, .windowGone: 410
            case .stale, .conflict: 412
            case .requestTimeout: 408
            case .bodyTooLarge: 413
            case .uriTooLong: 414
            case .unsupportedEncoding: 415
            case .rateLimited: 429
            case .headersTooLarge: 431
            case .documentTooLarge, .invalidTable, .invalidSettings, .suitesFailed, .idempotencyMismatch,
                .unknownEnvironment, .invalidShortLink, .keyInPath:
                422
            case .logUnavailable, .diskFull, .storageUnavailable, .busy, .sinkUnavailable: 503
            case .notRecorded, .unreadable, .storedNotLive, .internalError: 500
            }
        }

        package var title: String { String(rawValue.map { $0 == "_" ? " " : $0 }) }
    }

    package init(_ code: Code, _ detail: String, findings: [Finding] = []) {
        self.code = code
        self.detail = detail
        self.findings = findings
    }

    package func json(requestID: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "about:blank")
        writer.member("title", code.title)
        writer.member("status", code.status)
        writer.member("detail", detail)
        writer.member("code", code.rawValue)
        writer.member("requestId", requestID)
        for member in extensions {
            writer.key(escaping: member.key)
            writer.node(member.value)
        }
        if !findings.isEmpty {
            writer.key("findings")
            writer.findings(findings)
        }
        writer.endObject()
        writer.endLine()
        return writer.finish()
    }
}

extension JSONWriter {
    /// Writes findings in the form shared by all endpoints and commands.
    package mutating func findings(_ findings: [Finding]) {
        beginArray()
        for finding in findings {
            beginObject()
            member("code", finding.code.rawValue)
            member("severity", finding.severity.rawValue)
            member("path", finding.path)
            member("route", finding.route?.rawValue)
            if let position = finding.position, position.line > 0 {
                member("line", position.line)
                member("column", position.column)
            }
            member("message", finding.message)
            member("fix", finding.fix.isEmpty ? nil : finding.fix)
            member("example", finding.example)
            member("relatedRoute", finding.relatedRoute?.rawValue)
            endObject()
        }
        endArray()
    }
}
