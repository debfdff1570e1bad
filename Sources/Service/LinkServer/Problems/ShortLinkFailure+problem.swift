package import HTTPTransport
package import LinkCatalog

extension ShortLinkService.Failure: ProblemConvertible {
    package var problem: Problem {
        switch self {
        case .unknownLink(let code):
            Problem(.unknownShortLink, "There is no short link '\(code)'; list them at …/short-links.")
        case .codeTaken(let code):
            Problem(.codeTaken, "The code '\(code)' belongs to another link. Use another one, or leave out 'code'.")
        case .invalid(let reason): Problem(.invalidShortLink, reason)
        case .tooManyLinks(ofApps: false):
            Problem(
                .tooManyShortLinks,
                "The tenant has as many short links as are allowed: \(ShortLink.mostOfTenant). Archived links count as well."
            )
        case .tooManyLinks(ofApps: true):
            Problem(
                .tooManyShortLinks,
                "The apps of the tenant have made as many short links as are allowed: \(ShortLink.mostOfApps). A link is "
                    + "deleted 30 days after it expired."
            )
        }
    }
}
