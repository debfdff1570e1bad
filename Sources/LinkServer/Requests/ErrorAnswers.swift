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

/// Gives every error its answer; the only place of the server that logs errors.
struct ErrorAnswers: Sendable {
    private let logger: Logger

    private static let authenticationFailures = Dictionary(
        uniqueKeysWithValues: [Problem.Code.missingKey, .invalidKey, .forbidden, .explainForbidden].map {
            ($0, Counter(label: "fingerpost_auth_failures_total", dimensions: [("reason", $0.rawValue)]))
        }
    )

    init(logger: Logger) {
        self.logger = logger
        // Known at 0 from the start: a rate sees the first failure only of a counter that was there before.
        _ = Self.authenticationFailures
    }

    func answer(to error: any Error, _ scope: RequestScope) -> Answer {
        let problem = problem(for: error, scope)
        scope.facts.note(problem.code)
        Self.authenticationFailures[problem.code]?.increment()
        return problem.answer(requestID: scope.requestID)
    }

    private func problem(for error: any Error, _ scope: RequestScope) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as DocumentError: return Problem(.invalidRequest, error.description)
        case let error as JSONSyntaxError: return Problem(.malformedJSON, "The body is not JSON: \(error.description)")
        case let error as RouteTable.DecodingErrors:
            return Problem(.invalidTable, "The table cannot be read.", findings: error.errors.map(Finding.init))
        case let error as LateBody:
            return Problem(.requestTimeout, "The body took longer than \(error.seconds) seconds.")
        // Nobody is there to read these.
        case is LostBody: return Problem(.invalidRequest, "The connection ended within the body.")
        case is NIOHTTP2Errors.StreamClosed: return Problem(.invalidRequest, "The request was taken back.")
        case is HTTPParserError: return Problem(.invalidRequest, "The body's chunks cannot be read.")
        case is NIOTooManyBytesError: return Problem(.bodyTooLarge, "The body is larger than this endpoint takes.")
        case let error as CatalogEditor.Failure: return Problem(error)
        case let error as OwnershipConflict:
            return Problem(
                error.kind == .domain ? .domainTaken : .schemeTaken,
                "The \(error.kind.rawValue) '\(error.name)' belongs to another tenant; remove it there first."
            )
        case let error as StaleWrite:
            return Problem(
                .stale,
                "Somebody else wrote first: it is at \(error.current) now. Read it again, then repeat."
            )
        case let error as any HTTPResponseError where error.status == .notFound:
            return Problem(.notFound, "There is nothing here; docs/api.md lists what there is.")
        case let error as any HTTPResponseError where error.status == .methodNotAllowed:
            return Problem(.methodNotAllowed, "This path does not take the method; docs/api.md lists what it takes.")
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return Problem(
                error.status == .contentTooLarge ? .bodyTooLarge : .invalidRequest,
                "The request cannot be read."
            )
        default:
            logger.error("request failed", metadata: ["error": "\(error)", "request_id": "\(scope.requestID)"])
            return Problem(.internalError, "This is our fault. The log holds what happened under this request's id.")
        }
    }
}

/// Gives the errors of a port without a frame their answers.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let errors: ErrorAnswers

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

extension CatalogEditor.Failure {
    /// What is wrong and what to do, as the API says it: `{detail, findings, conflicts, …}`.
    package var json: JSONNode {
        let problem = Problem(self)
        var writer = JSONWriter()
        writer.findings(problem.findings)
        let findings = try? JSONReader.parse(writer.bytes, limits: JSONReader.Limits(maximumBytes: 256 << 20))
        let members = [
            JSONNode.Member("detail", .string(problem.detail)), JSONNode.Member("findings", findings ?? .null),
        ]
        return JSONNode(.object(members + problem.facts))
    }
}

extension Problem {
    init(_ failure: CatalogEditor.Failure) {
        switch failure {
        case .unknownTenant(let tenant):
            self.init(.unknownTenant, "There is no tenant '\(tenant)'; write its settings first.")
        case .unknownRoute(let route): self.init(.unknownRoute, "The draft has no route '\(route)'.")
        case .unknownRevision(let revision):
            self.init(.unknownRevision, "There is no revision \(revision) any more; list them at …/revisions.")
        case .noDraft(let name):
            self.init(.noDraft, "There is no draft '\(name)'; write one with PUT …/draft, and list them at …/drafts.")
        case .conflicts(let conflicts):
            self.init(
                .conflict,
                "The draft and what was published since it was begun change the same: "
                    + conflicts.map { "\($0.kind.rawValue) '\($0.subject)'" }.joined(separator: ", ")
                    + ". Take both sides from 'conflicts', write the draft anew, then publish."
            )
            facts = [JSONNode.Member("conflicts", .array(conflicts.map(\.json)))]
        case .suites(let failures):
            self.init(
                .suitesFailed,
                "\(failures.count) expectations of the stored suites fail; nothing was changed. Mend the draft or the suite, or "
                    + "publish with {\"override\": {\"reason\": …}}."
            )
            facts = [JSONNode.Member("suiteFailures", .array(failures.map(\.json)))]
        case .outsideLimit(let refusals):
            self.init(.forbidden, "The key may not change this: \(refusals.joined(separator: "; ")).")
        case .tooManyRoutes(let count, let maximum):
            self.init(
                .invalidTable,
                "The table has \(count) routes; at most \(maximum) are allowed here (limits.tableRoutes)."
            )
        case .busy:
            self.init(.busy, "Other changes went live again and again in between. Try again in a second.")
            headers[.retryAfter] = "1"
        case .findings(let findings):
            self.init(
                .invalidTable,
                "The table has errors; nothing was changed. Mend what 'findings' lists.",
                findings: findings
            )
        }
    }
}
