import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore

/// Serves `POST /_fp/events`, with which apps report what their own engines decided.
struct AppEventController: Sendable {
    let linkResolver: LinkResolver
    let recorder: AppEventRecorder
    let limits: LiveLimits
    let admission: Admission

    var endpoint: PublicEndpoint {
        PublicEndpoint(
            methods: [.post],
            path: "/_fp/events",
            bodyLimit: { [limits] in limits.batchBytes },
            acceptsKey: true
        ) { request, body in
            // Reading and deciding a hundred links takes milliseconds, and an earlier table may have to be loaded.
            .async { try await record(request, body) }
        }
    }

    private func record(_ request: PublicRequest, _ body: ByteBuffer) async throws -> BufferedResponse {
        let scope = request.scope
        let limits = JSONReader.Limits(maximumBytes: limits.batchBytes, maximumDepth: limits.jsonDepth)
        let message = try body.withUnsafeReadableBytes { raw in
            try raw.withMemoryRebound(to: UInt8.self) { try AppEventsRequest($0, limits: limits) }
        }
        let catalog = linkResolver.catalog.current
        let tenant = try catalog.tenant(message.tenant, in: message.environment, of: request)
        try admission.enter(message.events.count, bytes: body.readableBytes, scope)
        try admission.check(.tenant(tenant.tenant), amount: message.events.count)
        let address = scope.client.address
        let caller = LinkResolver.Caller(
            requestID: scope.requestID,
            address: address,
            country: linkResolver.country(of: address),
            userAgent: request.head.headerFields.value(of: .userAgent),
            method: "POST",
            source: "app",
            kind: .app,
            purpose: message.purpose
        )
        let results = try await recorder.record(
            message,
            of: tenant,
            by: caller,
            with: KeyOwner(request.grant),
            arrivedAt: scope.arrival
        )
        let warnings = message.warnings + unknownApps(of: message, tenant)
        return BufferedResponse(json: AppEventsResponse(results: results, warnings: warnings).json())
    }

    private static let mostWarnings = 20

    /// Warns about apps that the tenant does not have. Their events are stored: an app on devices may report for longer
    /// than it is in the settings.
    private func unknownApps(of message: AppEventsRequest, _ tenant: PublishedTable) -> [String] {
        let named = Set(message.events.compactMap { try? $0.decision.get().context.app })
        let unknown = named.subtracting(tenant.settings.identity.apps.map(\.id))
        return unknown.map(\.rawValue).sorted().prefix(Self.mostWarnings).map {
            "app: '\($0)' is not an app in the tenant's settings; correct it. Its events are counted for the first app of the platform, if there is one."
        }
    }
}
