import LinkCatalog
import LinkRouting

/// A tenant file without errors.
struct TenantSource: Sendable {
    let path: String
    let tenant: TenantID
    /// JSON, as the service stores it.
    let settings: String
    /// JSON, as the service stores it; nil for a file without a table.
    let table: String?
    let routeCount: Int
    /// The environments that the settings name, `production` first. All of them get the table of the file.
    let environments: [EnvironmentID]
    /// Nil for a file without 'links'.
    let links: [ShortLink]?
    private let claims: [Claim]

    /// A domain or a scheme, which one tenant owns.
    private struct Claim: Sendable {
        let name: String
        let position: JSONNode.Position
    }

    /// - Throws: ``UnusableFile``.
    init(_ file: WatchedFile) throws {
        path = file.path
        let document: TenantDocument
        do {
            document = try TenantDocument(file.text)
        } catch let error as DocumentError {
            throw UnusableFile(file.path, error)
        }
        guard let tenant = document.tenant else {
            throw UnusableFile(file.path, "the file does not name its tenant; add 'tenant: NAME'.")
        }
        guard let node = document.settings else {
            throw UnusableFile(file.path, "the file has no 'settings', so no link belongs to its tenant; add them.")
        }
        let (settings, table, findings) = document.checked()
        let errors = findings.filter { $0.severity == .error }
        guard errors.isEmpty, let settings else { throw UnusableFile(file.path, errors) }
        self.tenant = tenant
        self.settings = node.json()
        self.table = document.table?.json()
        routeCount = table?.routes.count ?? 0
        do throws(DocumentError) {
            links = try document.links == nil ? nil : document.shortLinks()
        } catch {
            throw UnusableFile(file.path, error)
        }
        let others = settings.namedEnvironments.subtracting([.production])
        environments = [.production] + others.sorted { $0.rawValue < $1.rawValue }
        claims = Self.claims(settings.identity, node)
    }

    private static func claims(_ identity: Identity, _ settings: JSONNode) -> [Claim] {
        func position(_ key: String, _ index: Int) -> JSONNode.Position {
            let elements = settings[key]?.elements ?? []
            return elements.indices.contains(index) ? elements[index].position : .unknown
        }
        let domains = identity.domains.enumerated().map { index, domain in
            let port = domain.port.map { ":\($0)" } ?? ""
            let host = (domain.coversSubdomains ? "*." : "") + domain.host
            return Claim(name: "domain '\(host)\(port)'", position: position("domains", index))
        }
        let schemes = identity.schemes.enumerated().map { index, scheme in
            Claim(name: "scheme '\(scheme.name)'", position: position("schemes", index))
        }
        return domains + schemes
    }

    /// Throws ``UnusableFile`` if two files have the same tenant, domain or scheme.
    static func requireDifferent(_ sources: [TenantSource]) throws {
        var tenants: [TenantID: String] = [:]
        var owners: [String: String] = [:]
        for source in sources {
            if let other = tenants.updateValue(source.path, forKey: source.tenant) {
                throw UnusableFile(source.path, "the tenant '\(source.tenant)' is in \(other) as well; remove one.")
            }
            for claim in source.claims {
                guard let other = owners.updateValue(source.path, forKey: claim.name), other != source.path else {
                    continue
                }
                throw UnusableFile(
                    source.path,
                    "the \(claim.name) belongs to the tenant of \(other) as well; remove it in one file.",
                    at: claim.position
                )
            }
        }
    }
}
