package import HTTPTransport
package import LinkCatalog
import LinkRouting

// The errors of LinkCatalog, which knows nothing of HTTP.

extension CatalogUnavailable: ProblemConvertible {
    package var problem: Problem {
        var problem = Problem(
            .storageUnavailable,
            "The catalog's database does not answer. Links are answered all the same. Repeat the request later; if it was a "
                + "change, read first whether it is stored."
        )
        problem.hints = [.retryAfter(seconds: 5)]
        return problem
    }

    package var logMessage: String? { "the catalog's database cannot be used" }
}

extension TooManyDrafts: ProblemConvertible {
    package var problem: Problem {
        let found =
            switch self {
            case .ofTenant(let maximum):
                "The tenant has \(maximum) drafts, which is the maximum (limits.drafts)"
            case .ofOne(let maximum):
                "The key is the only author of \(maximum) drafts, which is the maximum of a key (half of limits.drafts)"
            case .bytes(let maximum):
                "The tenant's drafts would exceed the maximum of \(maximum) bytes (8 times limits.tableBytes)"
            }
        return Problem(.tooManyDrafts, "\(found). Publish or remove some first; list them at …/drafts.")
    }
}

extension ForeignDraft: ProblemConvertible {
    package var problem: Problem {
        Problem(
            .forbidden,
            "A key that is limited to routes can remove only drafts that it alone has written. '\(name)' has other "
                + "authors."
        )
    }
}

extension TooManySuites: ProblemConvertible {
    package var problem: Problem {
        let found =
            switch self {
            case .count: "The tenant has \(TooManySuites.maximumCount) suites, which is the maximum"
            case .bytes: "The tenant's suites would exceed the maximum of \(TooManySuites.maximumBytes) bytes"
            }
        return Problem(.tooManySuites, "\(found). Merge or remove some first; list them at …/suites.")
    }
}

extension TooManyRevisions: ProblemConvertible {
    package var problem: Problem {
        Problem(
            .tooManyRevisions,
            "The tenant's revisions would exceed the maximum of \(room.revisions) revisions or \(room.bytes) bytes of "
                + "different tables, and too few of the old ones may be deleted: they are live, the base of a draft, or "
                + "among the newest \(RevisionRoom.kept) of their environment. Nothing was changed. Remove drafts that "
                + "start from old revisions, keep fewer revisions ('fingerpost revisions prune \(tenant) --keep 10 "
                + "--older-than-days 0'), or publish a smaller table."
        )
    }
}

extension DailyQuotaReached: ProblemConvertible {
    package var problem: Problem {
        var problem = Problem(.rateLimited, description)
        problem.extensions = [JSONNode.Member("scope", .string("tenant"))]
        problem.hints = [.retryAfter(seconds: secondsLeft)]
        return problem
    }
}

extension TooManyKeys: ProblemConvertible {
    package var problem: Problem { Problem(.tooManyKeys, description) }
}

extension MakerHasEnded: ProblemConvertible {
    package var problem: Problem { .invalidKey }
}

extension StaleWrite: ProblemConvertible {
    package var problem: Problem {
        Problem(
            .stale,
            "The resource was changed in the meantime and is now at version \(current). Read it again, then repeat the "
                + "request with its new ETag."
        )
    }
}

extension OwnershipConflict: ProblemConvertible {
    package var problem: Problem {
        Problem(
            kind == .domain ? .domainTaken : .schemeTaken,
            "The \(kind.rawValue) '\(name)', or a part of it, belongs to another tenant. Remove it there first. With a "
                + "key for all tenants, domains may overlap, but not be equal."
        )
    }
}

extension InactiveTenant: ProblemConvertible {
    package var problem: Problem {
        switch archival {
        case .archived:
            Problem(
                .tenantArchived,
                "The tenant '\(tenant)' is archived, so it cannot be changed. Make it active again with POST …/unarchive."
            )
        case .removed:
            Problem(
                .tenantArchived,
                "The tenant '\(tenant)' was removed. Its name stays reserved, because the log has its events; use "
                    + "another one."
            )
        }
    }
}

extension TenantNotArchived: ProblemConvertible {
    package var problem: Problem {
        Problem(
            .tenantNotArchived,
            "The tenant '\(tenant)' still answers links. Archive it first: POST …/archive."
        )
    }
}

extension StoredNotLive: ProblemConvertible {
    package var problem: Problem { Problem(.storedNotLive, description) }
    package var logMessage: String? { "a change is stored but not live: \(reason)" }
}

extension WorkRefusal: ProblemConvertible {
    package var problem: Problem {
        var problem =
            switch self {
            case .tooMuchOfOwner:
                Problem(
                    .rateLimited,
                    "Too many computations of this tenant are waiting. Try again when some are done."
                )
            case .tooMuch: Problem(.busy, "Too many computations are waiting. Try again in a few seconds.")
            }
        if self == .tooMuchOfOwner { problem.extensions = [JSONNode.Member("scope", .string("tenant"))] }
        problem.hints = [.retryAfter(seconds: 5)]
        return problem
    }
}

extension DocumentMemory.Full: ProblemConvertible {
    package var problem: Problem {
        var problem =
            switch self {
            case .ofOwner:
                Problem(
                    .rateLimited,
                    "Too many large documents of this tenant are being sent; nothing was changed. Try again when one is "
                        + "done."
                )
            case .ofAll:
                Problem(
                    .busy,
                    "Too many large documents are being sent; nothing was changed. Try again in a few seconds."
                )
            }
        if self == .ofOwner { problem.extensions = [JSONNode.Member("scope", .string("tenant"))] }
        problem.hints = [.retryAfter(seconds: 5)]
        return problem
    }
}
