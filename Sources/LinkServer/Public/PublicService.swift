import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkService

/// What the requests of the public port share.
final class PublicService: Sendable {
    let router: PublicRouter
    let catalog: LiveCatalog
    let instrumentation: RequestInstrumentation
    let admission: Admission
    let keys: APIKeyAuthenticator
    let buffers: RequestBufferBudget
    let date: ResponseDate

    init(
        router: PublicRouter,
        catalog: LiveCatalog,
        instrumentation: RequestInstrumentation,
        admission: Admission,
        keys: APIKeyAuthenticator,
        buffers: RequestBufferBudget,
        date: ResponseDate
    ) {
        self.router = router
        self.catalog = catalog
        self.instrumentation = instrumentation
        self.admission = admission
        self.keys = keys
        self.buffers = buffers
        self.date = date
    }

    /// Returns the problem as JSON, or as a page for people if a browser asks.
    func response(to error: any Error, _ request: PublicRequest) -> BufferedResponse {
        let response = instrumentation.errors.answer(to: admission.judged(error, request.scope), request.scope)
        guard request.head.isOfBrowser else { return response }
        let catalog = catalog.current
        let host = request.head.host(in: catalog)
        let isOfTenant = host.map { catalog.table(forHost: $0.name, port: $0.port) != nil } ?? false
        return ProblemPage(response.status).response(
            response.status,
            of: isOfTenant ? host?.name : nil,
            requestID: request.scope.requestID.description,
            headers: response.headers
        )
    }
}
