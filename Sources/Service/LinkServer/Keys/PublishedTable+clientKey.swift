import HTTPTransport
package import LinkCatalog
package import LinkRouting

extension PublishedTable {
    /// Checks the key of a request, if the tenant answers only its own apps and servers in this environment.
    ///
    /// - Throws: A ``Problem`` if the key is missing or not sufficient.
    package func checkClientKey(_ grant: KeyGrant?, for environment: EnvironmentID) throws {
        guard wantsClientKey(for: environment) else { return }
        guard let grant else {
            let place = environment == .production ? "" : " in an environment other than production"
            throw Problem(
                .missingKey,
                "Resolving this tenant's links\(place) needs a key with the scope 'resolve'; send "
                    + "'Authorization: Bearer fp_…'."
            )
        }
        guard grant.allows(.resolve, for: tenant), grant.allows(environment) else {
            throw Problem(.forbidden, "This key lacks the scope 'resolve' for the link's tenant or environment.")
        }
    }

    /// Whether the tenant answers only callers with a key.
    package func wantsClientKey(for environment: EnvironmentID) -> Bool {
        settings.clientKey == .required || environment != .production && settings.environmentKey == .required
    }
}
