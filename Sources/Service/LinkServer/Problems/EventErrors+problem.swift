package import HTTPTransport
package import LinkEvents
import LinkRouting

// The errors of LinkEvents: exports, erasures and the log.

extension ExportRefusal: ProblemConvertible {
    package var problem: Problem {
        var problem =
            switch self {
            case .tooMuchOfTenant:
                Problem(
                    .rateLimited,
                    "Too many exports or erasures of this tenant are waiting. Try again when some are done."
                )
            case .tooMuch:
                Problem(.busy, "Too many exports and erasures are waiting. Try again in a few seconds.")
            }
        if self == .tooMuchOfTenant { problem.extensions = [JSONNode.Member("scope", .string("tenant"))] }
        problem.hints = [.retryAfter(seconds: 5)]
        return problem
    }
}

extension UnfinishedErasure: ProblemConvertible {
    package var problem: Problem {
        let cause = Problem(of: reason)
        var problem = Problem(
            cause.code,
            "The erasure \(id) was started but is not complete, because "
                + (cause.code == .diskFull ? "the server's disk is full" : "the work was interrupted")
                + ". The server completes it at its next start. To complete it earlier, repeat the request."
        )
        problem.hints = cause.hints
        return problem
    }

    package var logMessage: String? { ErrorMapper.logMessage(of: reason) }
}

extension ExportManifest.Unreadable: ProblemConvertible {
    package var problem: Problem { Problem(.storageUnavailable, description) }
    package var logMessage: String? { "a manifest cannot be read" }
}

extension Problem {
    init(_ error: any DiskError) { self = error.isDiskFull ? .diskFull : Problem(.storageUnavailable, "\(error)") }

    /// Nothing is left half done, except for exports and erasures, which continue when they are repeated.
    private static var diskFull: Problem {
        var problem = Problem(
            .diskFull,
            "The server's disk is full, so the request was not completed. Repeat it when there is free space. The "
                + "operator should follow deploy/runbooks/disk-full.md."
        )
        problem.hints = [.retryAfter(seconds: 10)]
        return problem
    }
}
