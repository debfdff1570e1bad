import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting

extension Catalog {
    /// Returns the production table of the tenant that a request of an app is for: the named one, the owner of its host,
    /// or that of the request's key. A request for one URL is therefore for the same tenant whatever its key is, or
    /// refused: a cache may have the answer to a request without a key.
    ///
    /// - Throws: A ``Problem``, the same one for an unknown tenant and for one that the key does not belong to.
    func tenant(_ name: TenantID?, of request: PublicRequest) throws -> PublishedTable {
        let ofKey = request.grant?.tenant
        let ofHost = request.head.host(in: self).flatMap { table(forHost: $0.name, port: $0.port)?.table.tenant }
        guard let name = name ?? ofHost ?? ofKey else {
            throw Problem(
                .unknownHost,
                "No tenant has this host; name the tenant with 'tenant', or send one of its keys."
            )
        }
        guard ofKey == nil || ofKey == name, let table = table(of: name) else {
            throw Problem(.unknownTenant, "No such tenant, or the key or the host belongs to another one.")
        }
        return table
    }

    /// The same for a message that is recorded, which needs the tenant's client key and an environment of the tenant.
    func tenant(_ name: TenantID?, in environment: EnvironmentID, of request: PublicRequest) throws -> PublishedTable {
        let table = try tenant(name, of: request)
        request.scope.logFields.note(table.tenant)
        try table.checkClientKey(request.grant, for: environment)
        if let warning = warning(about: environment, of: table.tenant) {
            throw Problem(.unknownEnvironment, warning)
        }
        return table
    }
}
