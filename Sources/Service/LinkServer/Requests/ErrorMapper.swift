import HTTPTransport
import Hummingbird
import LinkCatalog
import LinkEvents
import Logging
import Metrics

/// Answers the errors of requests with their problems, and logs those that are the server's fault.
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
        if let message = Self.logMessage(of: error) {
            logger.error("\(message)", metadata: ["error": "\(error)", "request_id": "\(scope.requestID)"])
        }
        let problem = Problem(of: error)
        scope.logFields.note(problem.code)
        Self.authenticationFailures[problem.code]?.increment()
        return problem.answer(requestID: scope.requestID.description)
    }

    static func logMessage(of error: any Error) -> String? {
        switch error {
        case let error as any ProblemConvertible: error.logMessage
        case let error as any DiskError: error.isDiskFull ? "the disk is full" : "a data file cannot be used"
        case is CancellationError: nil
        case let error as any HTTPResponseError where Problem(error) != nil: nil
        default: "request failed"
        }
    }
}

extension Problem {
    /// The problem of any error. One that does not convert itself is `internal_error`.
    init(of error: any Error) {
        switch error {
        case let error as any ProblemConvertible: self = error.problem
        case let error as any DiskError: self.init(error)
        case is CancellationError: self = .cancelled
        case let error as any HTTPResponseError:
            self = Problem(error) ?? .internalError
        default: self = .internalError
        }
    }

    /// The client is gone or the process ends.
    private static var cancelled: Problem {
        var problem = Problem(.busy, "The work was cancelled before it was done; nothing was changed. Try again.")
        problem.hints = [.retryAfter(seconds: 5)]
        return problem
    }

    private static var internalError: Problem {
        Problem(.internalError, "Internal server error. The log has the details under this request's id.")
    }
}
