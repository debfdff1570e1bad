import HTTPTypes
import NIOCore

/// The fast path of the public port: answers frequent requests, which wait for nothing but the event log, on the event
/// loop. Admission, resolution, recording and encoding use the same functions as the ordinary path through Hummingbird,
/// which costs such a request two changes of thread and a task.
final class Lane: Sendable {
    let frame: RequestInstrumentation
    let admission: Admission
    let keys: APIKeyAuthenticator
    let resolving: LinkResolver
    let resolve: ResolveController
    let click: ClickController
    let association: AssociationController
    let date: ResponseDate
    /// First segments of the router's other paths: for the router, no path below them is a click.
    let ownSegments: Set<[UInt8]>

    init(
        frame: RequestInstrumentation,
        admission: Admission,
        keys: APIKeyAuthenticator,
        resolving: LinkResolver,
        resolve: ResolveController,
        click: ClickController,
        association: AssociationController,
        date: ResponseDate,
        ownSegments: Set<[UInt8]>
    ) {
        self.frame = frame
        self.admission = admission
        self.keys = keys
        self.resolving = resolving
        self.resolve = resolve
        self.click = click
        self.association = association
        self.date = date
        self.ownSegments = ownSegments
    }

    enum Endpoint: Equatable {
        case resolve
        /// An association file, requested at exactly this path.
        case association(AssociationFile, path: String)
        case click(isRoot: Bool)

        /// The name of the endpoint's route in the router.
        var route: String {
            switch self {
            case .resolve: "/resolve"
            case .association(_, let path): path
            case .click(let isRoot): isRoot ? "/" : "/**"
            }
        }
    }

    /// Maximum size of a body on the fast path, in bytes.
    var bodyBytes: Int { min(resolve.limits.batchBytes, 1 << 16) }

    /// Returns the endpoint of a request; nil for one that takes the ordinary path, as every unusual request does.
    func endpoint(for head: HTTPRequest) -> Endpoint? {
        guard let path = head.path, path.utf8.first == UInt8(ascii: "/") else { return nil }
        switch head.method {
        case .post:
            guard path == "/resolve", head.headerFields[.contentEncoding] == nil else { return nil }
            // A Content-Length consists of digits and may not fit into an integer.
            let isShort = head.headerFields[.contentLength].map { Int($0).map { $0 <= bodyBytes } ?? false } ?? true
            return isShort ? .resolve : nil
        case .get:
            // The response needs no body and must not wait for one.
            guard !head.headerFields.contains(.contentLength), !head.headerFields.contains(.transferEncoding) else {
                return nil
            }
            if let kind = AssociationController.kind(of: path) { return .association(kind, path: path) }
            // The router ignores empty segments.
            let segment = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
                .drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
            return ownSegments.contains(Array(segment)) ? nil : .click(isRoot: segment.isEmpty)
        default: return nil
        }
    }

    /// Admits a request and begins to answer it.
    ///
    /// - Throws: An error that ``answer(to:_:)`` turns into a response.
    func begin(
        _ endpoint: Endpoint,
        _ head: HTTPRequest,
        _ body: ByteBuffer,
        _ scope: inout RequestScope
    ) throws -> HandlerResult {
        try admission.enter(head, &scope, keys)
        switch endpoint {
        case .resolve:
            return try resolve.begin(head, body: body, try keys.optionalGrant(in: head.headerFields), scope)
        case .association(let kind, _): return .answer(try association.answer(head, kind))
        case .click: return try click.begin(head, scope)
        }
    }

    func answer(to error: any Error, _ scope: RequestScope) -> BufferedResponse {
        frame.errors.answer(to: admission.judged(error, scope), scope)
    }
}
