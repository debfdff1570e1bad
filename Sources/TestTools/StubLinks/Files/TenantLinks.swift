import LinkCatalog
import LinkRouting
import Synchronization

/// The short links of the tenant files. Nobody creates or changes them: no key of a stub server has the scope for that.
final class TenantLinks: ShortLinkStore {
    private let links = Mutex<[TenantID: [ShortLink]]>([:])

    /// Replaces all links of all tenants.
    func replace(by new: [TenantID: [ShortLink]]) { links.withLock { $0 = new } }

    func link(_ code: ShortCode, of tenant: TenantID, ignoringCase: Bool) -> ShortLink? {
        let own = links.withLock { $0[tenant] ?? [] }
        if let exact = own.first(where: { $0.code == code }) { return exact }
        let folded = code.rawValue.lowercased()
        return ignoringCase ? own.first { $0.code.rawValue.lowercased() == folded } : nil
    }

    func create(_: [NewShortLink], of _: TenantID) -> [ShortLinkCreation] { [] }

    func reusable(_: NewShortLink, of _: TenantID) -> ShortLink? { nil }

    func update(
        _: ShortCode,
        of _: TenantID,
        by _: Actor,
        at _: Timestamp,
        _: @escaping @Sendable (ShortLink) throws -> ShortLink
    ) -> ShortLink? { nil }

    func prolong(_: ShortCode, of _: TenantID, from _: Timestamp, to _: Timestamp) -> Bool { false }

    func history(of _: ShortCode, of _: TenantID) -> [ShortLinkChange] { [] }

    func list(_: ShortLinkQuery, of _: TenantID) -> ShortLinkPage { ShortLinkPage(links: []) }

    func count(of _: TenantID) -> Int { 0 }

    func eraseInstall(_: ShortLink.InstallHash, of _: TenantID, at _: Timestamp) -> Int { 0 }

    func count(of _: TenantID, by _: ShortLink.InstallHash, since _: Timestamp) -> Int { 0 }

    func deleteLinks(of _: TenantID) -> Int { 0 }

    func deleteAppLinks(expiredBefore _: Timestamp) -> Int { 0 }
}
