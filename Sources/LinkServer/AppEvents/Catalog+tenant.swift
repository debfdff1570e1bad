import HTTPTypes
import LinkAPI
import LinkCatalog
import LinkRouting
import LinkService

extension Catalog {
    /// Returns the production table of the tenant that a request of an app is for: the named one, that of the request's
    /// key, or the owner of its host.
    ///
    /// - Throws: A ``Problem``, the same one for an unknown tenant and for one that the key does not belong to.
    func tenant(_ name: TenantID?, of request: PublicRequest) throws -> PublishedTable {
        let ofKey = request.grant?.tenant
        if let name = name ?? ofKey {
            guard ofKey == nil || ofKey == name, let table = table(of: name) else {
                throw Problem(.unknownTenant, "No such tenant, or the key belongs to another one.")
            }
            return table
        }
        guard let host = request.head.host(in: self), let table = table(forHost: host.name, port: host.port)?.table
        else {
            throw Problem(
                .unknownHost,
                "No tenant has this host; name the tenant with 'tenant', or send one of its keys."
            )
        }
        return table
    }
}
