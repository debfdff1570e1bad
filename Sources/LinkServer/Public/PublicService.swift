import HTTPTransport
import HTTPTypes
import LinkService

/// What the requests of the public port share.
final class PublicService: Sendable {
    let router: PublicRouter
    let instrumentation: RequestInstrumentation
    let admission: Admission
    let keys: APIKeyAuthenticator
    let buffers: RequestBufferBudget
    let date: ResponseDate

    init(
        router: PublicRouter,
        instrumentation: RequestInstrumentation,
        admission: Admission,
        keys: APIKeyAuthenticator,
        buffers: RequestBufferBudget,
        date: ResponseDate
    ) {
        self.router = router
        self.instrumentation = instrumentation
        self.admission = admission
        self.keys = keys
        self.buffers = buffers
        self.date = date
    }

    func response(to error: any Error, _ scope: RequestScope) -> BufferedResponse {
        instrumentation.errors.answer(to: admission.judged(error, scope), scope)
    }
}
