package import LinkRouting

extension ShortLink {
    private static let day: Int64 = 86_400_000
    /// An app's link expires after so many milliseconds without a click, or up to ``restLifetime`` earlier.
    private static let appLifetime = 90 * day
    /// What an app's link has left at most when it is prolonged, so that clicks rarely write.
    private static let restLifetime = 60 * day

    /// When an app's link that is made now expires.
    package static func appExpiry(at now: Timestamp) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds + appLifetime)
    }

    /// The end of the link if a click must move it: that of an app's link, unless a person has changed the link.
    fileprivate func end(near now: Timestamp) -> Timestamp? {
        guard isFromApp, version == 1, let expires = content.expires,
            expires.milliseconds - now.milliseconds < Self.restLifetime
        else { return nil }
        return expires
    }
}

extension ShortLinkStore {
    /// Lets an app's link live on, if it is near its end. Returns the link with its new end.
    package func prolong(_ link: ShortLink, of tenant: TenantID, at now: Timestamp) async throws -> ShortLink {
        let end = ShortLink.appExpiry(at: now)
        guard let expires = link.end(near: now),
            try await prolong(link.code, of: tenant, from: expires, to: end)
        else { return link }
        var link = link
        link.content.expires = end
        return link
    }
}
