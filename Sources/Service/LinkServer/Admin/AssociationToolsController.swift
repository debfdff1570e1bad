import AppAssociation
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Shows, validates and simulates association files: any file, or those of the live tables. Nothing is stored.
struct AssociationToolsController {
    let authorizer: AdminAuthorizer
    let live: LiveCatalog
    let publishing: PublishingService
    let files: AssociationFileCache
    let queue: WorkQueue

    /// Maximum size of a request's body. Devices read an eighth of it, and larger files are worth a finding.
    private static let maximumBytes = 1 << 20

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.post("/admin/v1/association/validate", use: validate)
        router.post("/admin/v1/association/simulate", use: simulate)
        router.get("/admin/v1/tenants/:tenant/association", use: show)
    }

    /// Validates the body, which is the file itself in any form.
    @Sendable private func validate(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let owner = WorkOwner(try authorizer.grant(request, context, .tablesRead))
        var request = request
        let bytes = Array(buffer: try await request.readBody(upTo: Self.maximumBytes))
        let platform =
            try request.parameter("platform").map(Self.platform)
            ?? (AssetLinks.isLikely(bytes) ? .android : .apple)
        let report = try await queue.run(for: owner) { cancellation in
            let findings = Self.findings(platform, bytes, cancellation)
            return Array(AssociationReport([.init("body", findings)]).json().utf8)
        }
        return Response(json: report)
    }

    /// Simulates `{"url", "file" or "tenant", "app", "domain", "platform"}`: `file` is a JSON value, `tenant` names a
    /// live file.
    @Sendable private func simulate(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        // The body names the tenant. The key is checked before it is read, and for the tenant afterwards.
        let grant = try authorizer.grant(request, context, .tablesRead)
        var request = request
        let body = Array(buffer: try await request.readBody(upTo: Self.maximumBytes))
        let limits = JSONReader.Limits(maximumBytes: Self.maximumBytes, maximumDepth: 66)
        let owner = WorkOwner(grant)
        let node = try await queue.run(for: owner) { _ in
            try JSONReader.parse(body, limits: limits, duplicateKeys: .keep)
        }
        let object = try DocumentField(node, path: "").object("url", "file", "tenant", "app", "domain", "platform")
        let tenant = try object["tenant"]?.identifier(TenantID.self)
        _ = try authorizer.grant(request, context, .tablesRead, of: tenant)
        let simulation = SimulationRequest(
            url: try object.required("url").text(),
            app: try object["app"]?.text(),
            domain: try object["domain"]?.text()
        )
        let named = try object["platform"]?.text()
        guard let file = object["file"] else {
            guard let tenant else {
                throw Problem(.invalidRequest, "Send 'file', the JSON of a file, or 'tenant', to use its live file.")
            }
            return try await answer(simulation, try named.map(Self.platform) ?? .apple, tenant, owner)
        }
        guard tenant == nil else { throw Problem(.invalidRequest, "Send 'file' or 'tenant', not both.") }
        let platform = try named.map(Self.platform) ?? (file.node.elements == nil ? .apple : .android)
        let decision = try await queue.run(for: owner) { [node = file.node] _ in
            simulation.decision(platform, node).json()
        }
        return Response(json: Array(decision.utf8))
    }

    private func answer(
        _ simulation: SimulationRequest,
        _ platform: AssociationFile,
        _ tenant: TenantID,
        _ owner: WorkOwner
    ) async throws -> Response {
        let served = try served(platform, simulation.host, of: tenant)
        let decision = try await queue.run(for: owner) { _ in
            let file = try JSONReader.parse(served.bytes, limits: JSONReader.Limits(maximumBytes: 1 << 26))
            return simulation.decision(platform, file).json()
        }
        return Response(json: Array(decision.utf8))
    }

    /// Returns the file that devices get for `?host=`, and its findings; with `?draft=` the file that they would get, and the
    /// links that it would move.
    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        let name = request.parameter("host") ?? ""
        let host = (try? DeepLink.parse("https://\(name.hasPrefix("*.") ? String(name.dropFirst(2)) : name)/"))?.host
        let platform = try request.parameter("platform").map(Self.platform) ?? .apple
        let served = try served(platform, host, of: entry.tenant).bytes
        var draft: PublishedTable?
        if request.parameter("draft") != nil {
            draft = try await publishing.comparison(at: entry.location, limit: entry.grant).draft
        }
        let answer = try await queue.run(for: WorkOwner(entry.grant)) { [draft] cancellation in
            let bytes = try draft.map { try Self.file(platform, host, of: $0, cancellation) } ?? served
            let limits = JSONReader.Limits(maximumBytes: 1 << 26)
            let file = try JSONReader.parse(bytes, limits: limits)
            let report = AssociationReport([.init(name, Self.findings(platform, bytes, cancellation))])
            var moved: JSONNode?
            if draft != nil {
                let before = try JSONReader.parse(served, limits: limits)
                moved = Self.difference(platform, from: before, to: file, host: host ?? "", cancellation)
            }
            return Array(
                JSONNode.object([
                    "host": .string(name), "platform": .string(platform == .apple ? "ios" : "android"),
                    "file": file, "findings": .array(report.findingsJSON), "moves": moved?["moves"],
                    "complete": moved?["complete"],
                ]).json().utf8
            )
        }
        return Response(json: answer)
    }

    /// Returns the file that a table would give a host in lookup form.
    private static func file(
        _ platform: AssociationFile,
        _ host: String?,
        of table: PublishedTable,
        _ cancellation: Cancellation
    )
        throws -> [UInt8]
    {
        let files = AssociationFiles(router: table.router, within: cancellation.budget(of: .associationFiles))
        guard let domain = host.flatMap({ table.settings.identity.domain(for: $0) }),
            let pair = files.byHost[domain.host]
        else { throw Problem.fileNotMade }
        return platform == .apple ? pair.apple : pair.android
    }

    private static func difference(
        _ platform: AssociationFile,
        from before: JSONNode,
        to after: JSONNode,
        host: String,
        _ cancellation: Cancellation
    ) -> JSONNode {
        let budget = cancellation.budget(of: .associationFiles)
        return switch platform {
        case .apple:
            AssociationFileDiff(
                from: AppleAppSiteAssociation(root: before),
                to: AppleAppSiteAssociation(root: after),
                host: host,
                within: budget
            ).json
        case .android:
            AssociationFileDiff(from: AssetLinks(root: before), to: AssetLinks(root: after), host: host, within: budget)
                .json
        }
    }

    /// Returns the file that the public port serves for a host in lookup form.
    private func served(
        _ platform: AssociationFile,
        _ host: String?,
        of tenant: TenantID
    ) throws -> CachedAssociationFile {
        let catalog = live.current
        guard catalog.table(of: tenant) != nil else {
            throw Problem(.unknownTenant, "The tenant '\(tenant)' does not exist or has no published table.")
        }
        guard let host, let table = catalog.tableForAssociation(ofHost: host), table.tenant == tenant else {
            throw Problem(.invalidRequest, "No domain of the tenant '\(tenant)' covers the host.")
        }
        guard let file = files.file(platform, forHost: host, of: table) else { throw Problem.fileNotMade }
        return file
    }

    private static func findings(_ platform: AssociationFile, _ bytes: [UInt8], _ cancellation: Cancellation)
        -> [AssociationFinding]
    {
        let budget = cancellation.budget(of: .associationValidation)
        return switch platform {
        case .apple: AppleAppSiteAssociation.validate(bytes, within: budget)
        case .android: AssetLinks.validate(bytes, within: budget)
        }
    }

    private static func platform(_ name: String) throws -> AssociationFile {
        switch name {
        case "ios": return .apple
        case "android": return .android
        default: throw Problem(.invalidRequest, "'platform' must be ios or android.")
        }
    }
}

/// The subject of a simulation.
private struct SimulationRequest: Sendable {
    let url: String
    let app: String?
    let domain: String?

    /// The host whose file applies.
    var host: String? {
        guard let domain else { return (try? DeepLink.parse(url))?.host }
        return domain.hasPrefix("*.") ? String(domain.dropFirst(2)) : domain
    }

    func decision(_ platform: AssociationFile, _ file: JSONNode) -> JSONNode {
        switch platform {
        case .apple:
            let file = AppleAppSiteAssociation(root: file)
            let verdicts = app == nil ? file.verdicts(for: url, domain: domain) : []
            return file.decision(for: url, app: app, domain: domain).json.adding(apps: verdicts)
        case .android:
            let file = AssetLinks(root: file)
            let verdicts = app == nil ? file.verdicts(for: url, domain: domain) : []
            return file.decision(for: url, package: app, domain: domain).json.adding(apps: verdicts)
        }
    }
}
