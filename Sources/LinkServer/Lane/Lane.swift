import HTTPTypes
import NIOCore

/// The requests that an event loop answers itself: those that come all the time and wait for nothing but the log. They are
/// admitted, judged, recorded and written by the same functions as on the ordinary way, which costs them two changes of
/// thread and a task.
final class Lane: Sendable {
    let frame: RequestInstrumentation
    let admission: Admission
    let keys: APIKeyAuthenticator
    let resolving: LinkResolver
    let resolve: ResolveController
    let click: ClickController
    let association: AssociationController
    let date: ResponseDate
    /// What paths of our own begin with: for the router, nothing below them is a click.
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
        /// At its exact path.
        case association(AssociationFile, path: String)
        case click(isRoot: Bool)

        /// As the router calls it.
        var route: String {
            switch self {
            case .resolve: "/resolve"
            case .association(_, let path): path
            case .click(let isRoot): isRoot ? "/" : "/**"
            }
        }
    }

    /// The longest body that is read here.
    var bodyBytes: Int { min(resolve.limits.batchBytes, 1 << 16) }

    /// Who answers a request; nil for one that takes the ordinary way, as does everything that is not entirely usual.
    func endpoint(for head: HTTPRequest) -> Endpoint? {
        guard let path = head.path, path.utf8.first == UInt8(ascii: "/") else { return nil }
        switch head.method {
        case .post:
            guard path == "/resolve", head.headerFields[.contentEncoding] == nil else { return nil }
            // A length is digits, and may have more of them than fit into an integer.
            let isShort = head.headerFields[.contentLength].map { Int($0).map { $0 <= bodyBytes } ?? false } ?? true
            return isShort ? .resolve : nil
        case .get:
            // Its answer needs no body, and must not wait for one.
            guard !head.headerFields.contains(.contentLength), !head.headerFields.contains(.transferEncoding) else {
                return nil
            }
            if let kind = AssociationController.kind(of: path) { return .association(kind, path: path) }
            // The router takes no notice of empty segments.
            let segment = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
                .drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
            return ownSegments.contains(Array(segment)) ? nil : .click(isRoot: segment.isEmpty)
        default: return nil
        }
    }

    /// - Throws: What ``answer(to:_:)`` answers.
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
