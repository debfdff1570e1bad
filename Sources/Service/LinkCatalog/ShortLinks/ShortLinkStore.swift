package import LinkRouting

/// The storage of short links. Each change is one transaction with its row of the link's history, and is on disk when a
/// method returns. Changes of several callers are committed together.
package protocol ShortLinkStore: Sendable {
    /// Returns a tenant's link; nil for an unknown code.
    ///
    /// - Parameter ignoringCase: Whether a code in other letter case counts if there is no exact one; of several, the
    ///   oldest.
    func link(_ code: ShortCode, of tenant: TenantID, ignoringCase: Bool) async throws -> ShortLink?

    /// Creates links in order, one result for each. A link with a taken code, or beyond the tenant's limit, does not
    /// prevent the others.
    func create(_ links: [NewShortLink], of tenant: TenantID) async throws -> [ShortLinkCreation]

    /// Returns the link that creating `link` would reuse; nil if it would create one.
    func reusable(_ link: NewShortLink, of tenant: TenantID) async throws -> ShortLink?

    /// Replaces the content or the status of a link.
    ///
    /// - Parameter change: Returns the new link from the stored one. It throws to refuse; then nothing changes. The store
    ///   sets `version` and `updatedAt`, unless the link is as stored.
    /// - Returns: Nil for an unknown code.
    func update(
        _ code: ShortCode,
        of tenant: TenantID,
        by actor: Actor,
        at now: Timestamp,
        _ change: @escaping @Sendable (ShortLink) throws -> ShortLink
    ) async throws -> ShortLink?

    /// Moves the end of an app's link that nobody has changed, if it still is `expires`. This is no change: the link keeps
    /// its version, and gets no history.
    ///
    /// - Returns: Whether the end was moved.
    func prolong(
        _ code: ShortCode,
        of tenant: TenantID,
        from expires: Timestamp,
        to end: Timestamp
    ) async throws -> Bool

    /// The last changes of a link, newest first, at most ``ShortLinkChange/kept``.
    func history(of code: ShortCode, of tenant: TenantID) async throws -> [ShortLinkChange]

    /// A page of a tenant's links, newest first.
    func list(_ query: ShortLinkQuery, of tenant: TenantID) async throws -> ShortLinkPage

    func count(of tenant: TenantID) async throws -> Int

    /// Archives the links that an install created, and removes its hash from them. Returns their number.
    func eraseInstall(_ install: ShortLink.InstallHash, of tenant: TenantID, at now: Timestamp) async throws -> Int

    /// The number of links that an install has created since a time.
    func count(of tenant: TenantID, by install: ShortLink.InstallHash, since: Timestamp) async throws -> Int

    /// Deletes the links of a tenant, with their history, in small transactions. Returns their number.
    func deleteLinks(of tenant: TenantID) async throws -> Int

    /// Deletes the links of all tenants that apps created and that expired before a time, with their history, in small
    /// transactions. Returns their number.
    func deleteAppLinks(expiredBefore time: Timestamp) async throws -> Int
}

/// A link to create.
package struct NewShortLink: Sendable {
    /// Nil to choose a random code.
    package var code: ShortCode?
    package var content: ShortLink.Content
    package var createdAt: Timestamp
    package var createdBy: Actor
    package var install: ShortLink.InstallHash?
    /// Whether an app created it, which counts against a smaller limit. A link with an install is always an app's.
    package let isFromApp: Bool
    /// Whether a link with the same target, campaign and install is returned instead of a new one; an archived one if
    /// this link is archived. An app's link without an install is always new.
    package var isReused: Bool
    /// Archived from the start, as some imported links are.
    package var isArchived: Bool

    package init(
        code: ShortCode?,
        content: ShortLink.Content,
        createdAt: Timestamp,
        createdBy: Actor,
        install: ShortLink.InstallHash? = nil,
        isFromApp: Bool = false,
        isReused: Bool = false,
        isArchived: Bool = false
    ) {
        self.code = code
        self.content = content
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.install = install
        self.isFromApp = isFromApp || install != nil
        self.isReused = isReused
        self.isArchived = isArchived
    }

    /// The new link with its code.
    package func link(_ code: ShortCode) -> ShortLink {
        ShortLink(
            code: code,
            content: content,
            status: isArchived ? .archived : .active,
            createdAt: createdAt,
            createdBy: createdBy,
            install: install,
            isFromApp: isFromApp
        )
    }
}

package enum ShortLinkCreation: Sendable, Hashable {
    case created(ShortLink)
    /// `isReused`, and this link exists.
    case reused(ShortLink)
    /// The code belongs to another link.
    case taken(ShortLink)
    /// The tenant, or its apps, have created as many links as are allowed.
    case full(ofApps: Bool)
}

package struct ShortLinkQuery: Sendable, Hashable {
    package var tag: String?
    /// A part of code, target or title, without regard to the case of ASCII letters.
    package var text: String?
    /// Nil for all.
    package var status: Status?
    /// Whether apps created the links; nil for all.
    package var isFromApp: Bool?
    /// The code after which the page begins; nil for the first page.
    package var after: ShortCode?
    package var limit: Int

    package enum Status: Sendable, Hashable {
        case active(at: Timestamp), expired(at: Timestamp)
        case archived, blocked
    }

    package init(
        tag: String? = nil,
        text: String? = nil,
        status: Status? = nil,
        isFromApp: Bool? = nil,
        after: ShortCode? = nil,
        limit: Int
    ) {
        self.tag = tag
        self.text = text
        self.status = status
        self.isFromApp = isFromApp
        self.after = after
        self.limit = limit
    }
}

package struct ShortLinkPage: Sendable, Hashable {
    package var links: [ShortLink]
    /// The last link that was compared, if the search ended before the page was full. The next page begins after it.
    package var searchedUntil: ShortCode?

    package init(links: [ShortLink], searchedUntil: ShortCode? = nil) {
        self.links = links
        self.searchedUntil = searchedUntil
    }
}

/// A row of a link's history.
package struct ShortLinkChange: Sendable, Hashable {
    /// The number of changes that are kept of a link.
    package static let kept = 20

    package let at: Timestamp
    package let actor: Actor
    package let version: Int64
    /// The content and status after the change.
    package let link: JSONNode

    package init(at: Timestamp, actor: Actor, version: Int64, link: JSONNode) {
        self.at = at
        self.actor = actor
        self.version = version
        self.link = link
    }
}
