import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore

/// Serves a tenant's stored suites. A table that fails one is not published.
struct SuiteController {
    let authorizer: AdminAuthorizer
    let store: any SettingsStore & SuiteStore
    let limits: LiveLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/suites", use: list)
        router.get("/admin/v1/tenants/:tenant/suites/:name", use: show)
        router.put("/admin/v1/tenants/:tenant/suites/:name", use: write)
        router.delete("/admin/v1/tenants/:tenant/suites/:name", use: remove)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        try await store.require(entry.tenant)
        let page = try PageRequest(request)
        let suites = try await store.suites(of: entry.tenant)
        return Response(
            try await DocumentMemory.readYAML(bytes: suites.reduce(0) { $0 + $1.content.utf8.count }) {
                try page.answer(of: suites, "suites", \.json, key: \.name.rawValue)
            }
        )
    }

    /// Returns the suite's text as it was written.
    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        let name = try name(context)
        guard let row = try await store.suites(of: entry.tenant).first(where: { $0.name == name }) else {
            try await store.require(entry.tenant)
            throw Self.unknown(name)
        }
        let isJSON = row.content.first { !$0.isWhitespace } == "{"
        return Response(
            status: .ok,
            headers: [
                .eTag: "\"\(row.version)\"", .contentType: isJSON ? "application/json" : "application/yaml",
                .cacheControl: "no-store",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: row.content))
        )
    }

    @Sendable private func write(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .tablesWrite)
        try await store.require(entry.tenant)
        let name = try name(context)
        var request = request
        let text = try await request.text(upTo: limits.suiteBytes)
        let suite = try await DocumentMemory.readYAML(bytes: text.utf8.count) { try LinkSuite(text) }
        guard suite.tenant == nil || suite.tenant == entry.tenant else {
            throw Problem(.invalidRequest, "The suite names another tenant; correct 'tenant'.")
        }
        for environment in suite.namedEnvironments.sorted() {
            try authorizer.requireEnvironment(environment, of: entry)
        }
        try await context.once(entry.grant, of: entry.tenant)
        let row = try await store.saveSuite(
            text,
            name: name,
            of: entry.tenant,
            expected: try request.expectedNumber(),
            change: entry.change
        )
        return Response(row.json, eTag: row.version)
    }

    @Sendable private func remove(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .tablesWrite)
        let name = try name(context)
        try await context.once(entry.grant, of: entry.tenant)
        let wasThere = try await store.removeSuite(
            name,
            of: entry.tenant,
            expected: try request.expectedNumber(),
            change: entry.change
        )
        guard wasThere else { throw Self.unknown(name) }
        return Response(status: .noContent)
    }

    private func name(_ context: ServerRequestContext) throws -> SuiteName {
        guard let name = context.parameters.get("name").flatMap({ SuiteName($0) }) else {
            throw Problem(
                .invalidRequest,
                "A suite name must have 1 to 64 of a-z, 0-9, '.', '_' and '-', and start with a letter or digit."
            )
        }
        return name
    }

    private static func unknown(_ name: SuiteName) -> Problem {
        Problem(.unknownSuite, "The tenant has no suite '\(name)'; list them at …/suites.")
    }
}

extension StoredSuite {
    fileprivate var json: JSONNode {
        .object([
            "suite": .string(name.rawValue), "version": .int(version),
            "cases": .int((try? LinkSuite(content))?.cases.count ?? 0),
        ])
    }
}
