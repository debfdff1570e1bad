package import HTTPTransport
package import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
package import Logging
package import NIOCore
package import Networking

/// The endpoints of the public port without its connections. The stub server serves them over its own connections.
package struct LinkEndpoints: Sendable {
    private let service: PublicService

    /// - Parameter traces: Makes the traces of requests that bring none.
    package init(_ dependencies: PublicDependencies, metrics: MetricRegistry, traces: TraceSource, logger: Logger) {
        let linkResolver = dependencies.linkResolver
        service = PublicService(
            router: publicRouter(dependencies),
            catalog: linkResolver.catalog,
            instrumentation: RequestInstrumentation(
                port: .public,
                metrics: RequestMetrics(port: .public, metrics: metrics, tenants: linkResolver.tenants),
                log: RequestLog(port: .public, settings: LogSettings(.init(requests: .off)), logger: logger),
                errors: ErrorMapper(logger: logger),
                traces: traces,
                uptime: linkResolver.uptime,
                makeRequestID: { linkResolver.eventIDs.next(at: linkResolver.now()) }
            ),
            admission: dependencies.admission,
            keys: dependencies.keys,
            buffers: RequestBufferBudget(),
            date: ResponseDate(linkResolver.now)
        )
    }

    /// The endpoint that answers a request.
    package enum Claim: Sendable {
        /// An endpoint with a path of its own, whatever the host is.
        case path
        /// The clicks of a tenant's host.
        case click
    }

    /// Returns nil for a request that belongs to no endpoint: its path is none of theirs, and no tenant has links on its
    /// host.
    package func claim(to head: HTTPRequest) -> Claim? {
        switch service.router.match(head.method, head.path ?? "") {
        case .endpoint(let endpoint) where endpoint.path != PublicEndpoint.anyPath: return .path
        case .refused(_, route: .some): return .path
        default: break
        }
        let catalog = service.catalog.current
        guard let host = head.host(in: catalog),
            catalog.table(forHost: host.name, port: host.port)?.serves == .links
        else { return nil }
        return .click
    }

    /// Answers a request as the public port does.
    package func answer(_ head: HTTPRequest, _ body: ByteBuffer, from client: ClientAddress) async -> BufferedResponse {
        await service.answer(head, body, from: client)
    }
}
