import HTTPTransport
import HTTPTypes
import Hummingbird
package import LinkCatalog
import LinkEvents
package import LinkRouting
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Maps every error of a request to a ``Problem`` and its response, and logs errors that are the server's fault.
struct ErrorMapper: Sendable {
    private let logger: Logger

    private static let authenticationFailures = Dictionary(
        uniqueKeysWithValues: [Problem.Code.missingKey, .invalidKey, .forbidden, .explainForbidden].map {
            ($0, Counter(label: "fingerpost_auth_failures_total", dimensions: [("reason", $0.rawValue)]))
        }
    )

    init(logger: Logger) {
        self.logger = logger
        // All are exported at 0 from the start: `rate()` does not see the first increment of a counter that was not
        // there.
        _ = Self.authenticationFailures
    }

    func answer(to error: any Error, _ scope: RequestScope) -> BufferedResponse {
        let problem = problem(for: error, scope)
        scope.logFields.note(problem.code)
        Self.authenticationFailures[problem.code]?.increment()
        return problem.answer(requestID: scope.requestID.description)
    }

    private func problem(for error: any Error, _ scope: RequestScope) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as DocumentError: return Problem(.invalidRequest, error.description)
        case let error as JSONSyntaxError: return Problem(.malformedJSON, "The body is not JSON: \(error.description)")
        case let error as RouteTable.DecodingErrors:
            return Problem(.invalidTable, "The table cannot be read.", findings: error.errors.map(Finding.init))
        case let error as Settings.DecodingErrors:
            return Problem(.invalidSettings, error.description, findings: error.errors.map(Finding.init))
        case let error as LateBody:
            return Problem(.requestTimeout, "The body took longer than \(error.seconds) seconds to arrive.")
        // Nobody reads the responses to these.
        case is LostBody: return Problem(.invalidRequest, "The connection was closed before the end of the body.")
        case is NIOHTTP2Errors.StreamClosed: return Problem(.invalidRequest, "The client cancelled the request.")
        case is HTTPParserError: return Problem(.invalidRequest, "The chunked encoding of the body is invalid.")
        case is NIOTooManyBytesError: return Problem(.bodyTooLarge, "The body is larger than this endpoint accepts.")
        case let error as PublishingService.Failure: return Problem(error)
        case let error as WorkPool.Refusal: return Problem(error)
        case let error as ExportRefusal: return Problem(error)
        case let error as UnfinishedErasure:
            let reason = problem(for: error.reason, scope)
            var problem = Problem(
                reason.code,
                "The erasure \(error.id) was started but is not complete, because "
                    + (reason.code == .diskFull ? "the server's disk is full" : "the work was interrupted")
                    + ". The server completes it at its next start. To complete it earlier, repeat the request."
            )
            problem.hints = reason.hints
            return problem
        // The client is gone or the process ends.
        case is CancellationError: return Problem(WorkPool.Refusal.closed)
        case let error as TooManyDrafts: return Problem(error)
        case let error as TooManySuites: return Problem(error)
        case let error as TooManyRevisions: return Problem(error)
        case let error as DailyQuotaReached: return Problem(error)
        case let error as TooManyKeys: return Problem(.tooManyKeys, error.description)
        case is MakerHasEnded: return .invalidKey
        case let error as ForeignDraft:
            return Problem(
                .forbidden,
                "A key that is limited to routes can remove only drafts that it alone has written. '\(error.name)' has "
                    + "other authors."
            )
        case let error as DocumentTooLarge: return Problem(.documentTooLarge, error.description)
        case let error as UnreadableDocument:
            logger.error("a stored document cannot be read", metadata: Self.metadata(error, scope))
            return Problem(.unreadable, error.description)
        case let error as ExportManifest.Unreadable:
            logger.error("a manifest cannot be read", metadata: Self.metadata(error, scope))
            return Problem(.storageUnavailable, error.description)
        case let error as StoredNotLive:
            logger.error("a change is stored but not live", metadata: Self.metadata(error.reason, scope))
            return Problem(error)
        case let error as OwnershipConflict:
            return Problem(
                error.kind == .domain ? .domainTaken : .schemeTaken,
                "The \(error.kind.rawValue) '\(error.name)', or a part of it, belongs to another tenant. Remove it "
                    + "there first. With a key for all tenants, domains may overlap, but not be equal."
            )
        case let error as InactiveTenant: return Problem(error)
        case let error as TenantNotArchived:
            return Problem(
                .tenantNotArchived,
                "The tenant '\(error.tenant)' still answers links. Archive it first: POST …/archive."
            )
        case let error as StaleWrite:
            return Problem(
                .stale,
                "The resource was changed in the meantime and is now at version \(error.current). Read it again, then "
                    + "repeat the request with its new ETag."
            )
        case let error as any DiskError where error.isDiskFull:
            logger.error("the disk is full", metadata: ["error": "\(error)", "request_id": "\(scope.requestID)"])
            return .diskFull
        case let error as any DiskError:
            logger.error(
                "a data file cannot be used",
                metadata: ["error": "\(error)", "request_id": "\(scope.requestID)"]
            )
            return Problem(.storageUnavailable, "\(error)")
        case let error as any HTTPResponseError where error.status == .notFound:
            return Problem(.notFound, "Not found. docs/api.md lists all endpoints.")
        case let error as any HTTPResponseError where error.status == .methodNotAllowed:
            return Problem(
                .methodNotAllowed,
                "This path does not support the method. docs/api.md lists the supported methods."
            )
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return Problem(
                error.status == .contentTooLarge ? .bodyTooLarge : .invalidRequest,
                "The request cannot be read."
            )
        default:
            logger.error("request failed", metadata: Self.metadata(error, scope))
            return Problem(.internalError, "Internal server error. The log has the details under this request's id.")
        }
    }
}

extension ErrorMapper {
    private static func metadata(_ error: Any, _ scope: RequestScope) -> Logger.Metadata {
        ["error": "\(error)", "request_id": "\(scope.requestID)"]
    }
}

/// Maps the errors of a port without ``InstrumentationMiddleware``.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let errors: ErrorMapper

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return Response(errors.answer(to: error, context.scope))
        }
    }
}

extension PublishingService.Failure {
    /// The failure as the API describes it: `{detail, findings, conflicts, …}`.
    package var json: JSONNode {
        let problem = Problem(self)
        let members = [
            JSONNode.Member("detail", .string(problem.detail)), JSONNode.Member("findings", problem.findings.json),
        ]
        return JSONNode(.object(members + problem.extensions))
    }
}

extension Problem {
    init(_ refusal: WorkPool.Refusal) {
        switch refusal {
        case .tooMuchOfCaller:
            self.init(.rateLimited, "Too many computations of this tenant are waiting. Try again when some are done.")
            extensions = [JSONNode.Member("scope", .string("tenant"))]
        case .tooMuch: self.init(.busy, "Too many computations are waiting. Try again in a few seconds.")
        case .closed: self.init(.busy, "The work was cancelled before it was done; nothing was changed. Try again.")
        }
        hints = [.retryAfter(seconds: 5)]
    }

    init(_ refusal: ExportRefusal) {
        switch refusal {
        case .tooMuchOfTenant:
            self.init(
                .rateLimited,
                "Too many exports or erasures of this tenant are waiting. Try again when some are done."
            )
            extensions = [JSONNode.Member("scope", .string("tenant"))]
        case .tooMuch: self.init(.busy, "Too many exports and erasures are waiting. Try again in a few seconds.")
        }
        hints = [.retryAfter(seconds: 5)]
    }

    /// Nothing is left half done, except for exports and erasures, which continue when they are repeated.
    fileprivate static var diskFull: Problem {
        var problem = Problem(
            .diskFull,
            "The server's disk is full, so the request was not completed. Repeat it when there is free space. The "
                + "operator should follow deploy/runbooks/disk-full.md."
        )
        problem.hints = [.retryAfter(seconds: 10)]
        return problem
    }

    init(_ error: StoredNotLive) { self.init(.storedNotLive, error.description) }

    fileprivate init(_ error: TooManyDrafts) {
        let found =
            switch error {
            case .ofTenant(let maximum):
                "The tenant has \(maximum) drafts, which is the maximum (limits.drafts)"
            case .ofOne(let maximum):
                "The key is the only author of \(maximum) drafts, which is the maximum of a key (half of limits.drafts)"
            case .bytes(let maximum):
                "The tenant's drafts would exceed the maximum of \(maximum) bytes (8 times limits.tableBytes)"
            }
        self.init(.tooManyDrafts, "\(found). Publish or remove some first; list them at …/drafts.")
    }

    fileprivate init(_ error: InactiveTenant) {
        switch error.archival {
        case .archived:
            self.init(
                .tenantArchived,
                "The tenant '\(error.tenant)' is archived, so it cannot be changed. Make it active again with POST "
                    + "…/unarchive."
            )
        case .removed:
            self.init(
                .tenantArchived,
                "The tenant '\(error.tenant)' was removed. Its name stays reserved, because the log has its events; "
                    + "use another one."
            )
        }
    }

    fileprivate init(_ error: TooManySuites) {
        let found =
            switch error {
            case .count: "The tenant has \(TooManySuites.maximumCount) suites, which is the maximum"
            case .bytes:
                "The tenant's suites would exceed the maximum of \(TooManySuites.maximumBytes) bytes"
            }
        self.init(.tooManySuites, "\(found). Merge or remove some first; list them at …/suites.")
    }

    fileprivate init(_ error: TooManyRevisions) {
        self.init(
            .tooManyRevisions,
            "The tenant's revisions would exceed the maximum of \(error.room.revisions) revisions or "
                + "\(error.room.bytes) bytes of different tables, and too few of the old ones may be deleted: they are "
                + "live, the base of a draft, or among the newest \(RevisionRoom.kept) of their environment. Nothing was "
                + "changed. Remove drafts that start from old revisions, keep fewer revisions ('fingerpost revisions prune "
                + "\(error.tenant) --keep 10 --older-than-days 0'), or publish a smaller table."
        )
    }

    fileprivate init(_ error: DailyQuotaReached) {
        self.init(.rateLimited, error.description)
        extensions = [JSONNode.Member("scope", .string("tenant"))]
        hints = [.retryAfter(seconds: error.secondsLeft)]
    }

    init(_ failure: PublishingService.Failure) {
        switch failure {
        case .unknownTenant(let tenant):
            self.init(
                .unknownTenant,
                "There is no tenant '\(tenant)'; check its name, or write its settings to create it."
            )
        case .unknownRoute(let route): self.init(.unknownRoute, "The draft has no route '\(route)'.")
        case .unknownRevision(let revision):
            self.init(.unknownRevision, "There is no revision \(revision); list them at …/revisions.")
        case .unknownEnvironment(let environment, let named):
            let known = named.map(\.rawValue).sorted()
            let hint = environment.rawValue.nearest(among: known).map { "Did you mean '\($0)'? " } ?? ""
            self.init(
                .unknownEnvironment,
                "The tenant has no environment '\(environment)'; nothing was changed. \(hint)Its environments are "
                    + "\(known.joined(separator: ", ")). To use another one, add it to 'environments' in the settings."
            )
        case .noDraft(let name):
            self.init(.noDraft, "There is no draft '\(name)'; write it with PUT …/draft, or list drafts at …/drafts.")
        case .conflicts(let conflicts):
            self.init(
                .conflict,
                "The draft and a revision published after its base change the same items: "
                    + conflicts.map { "\($0.kind.rawValue) '\($0.subject)'" }.joined(separator: ", ")
                    + ". Merge both sides in 'conflicts', write the result with PUT …/draft?base=LIVE, where LIVE is "
                    + "the number of the live revision, then publish it."
            )
            extensions = [JSONNode.Member("conflicts", .array(conflicts.map(\.json)))]
        case .suites(let failures):
            let count = failures.count == 1 ? "1 expectation" : "\(failures.count) expectations"
            self.init(
                .suitesFailed,
                "\(count) of the stored suites \(failures.count == 1 ? "fails" : "fail"); nothing was changed. Correct the draft or "
                    + "the suite, or publish with {\"override\": {\"reason\": …}}."
            )
            extensions = [JSONNode.Member("suiteFailures", .array(failures.map(\.json)))]
        case .outsideLimit(let refusals):
            self.init(.forbidden, "The key does not permit these changes: \(refusals.joined(separator: "; ")).")
        case .settingsOutsideLimit(let grant):
            let need =
                grant.isForWholeTenants
                ? "which needs the scope '\(KeyGrant.Scope.admin.rawValue)'"
                : "which needs a key without limits on environments or routes"
            self.init(
                .forbidden,
                "The file changes 'settings', \(need); this key may change the table only. Take the settings from the "
                    + "server, or leave them out of the file."
            )
        case .tooManyRoutes(let count, let maximum):
            self.init(
                .invalidTable,
                "The table has \(count) routes; at most \(maximum) are allowed here (limits.tableRoutes)."
            )
        case .busy:
            self.init(.busy, "Other changes were published at the same time. Try again in a second.")
            hints = [.retryAfter(seconds: 1)]
        case .findings(let findings):
            self.init(
                .invalidTable,
                "The table has errors; nothing was changed. Correct what 'findings' lists.",
                findings: findings
            )
        }
    }
}

extension [Finding] {
    /// The findings as the API lists them.
    var json: JSONNode {
        var writer = JSONWriter()
        writer.findings(self)
        let list = try? JSONReader.parse(writer.bytes, limits: JSONReader.Limits(maximumBytes: 256 << 20))
        return list ?? .null
    }
}
