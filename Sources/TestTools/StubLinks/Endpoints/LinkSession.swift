import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import NIOCore
import Networking
import StubMatching
import StubServer
import Synchronization

/// The link endpoints of one session: those of the service, with the time and the facts of the session.
final class LinkSession: SessionEndpoints {
    private let links: StubLinks
    private let facts: SessionFacts
    private let endpoints: Mutex<LinkEndpoints>
    private let keys: SessionKeys

    init(_ links: StubLinks, facts: LinkFacts) {
        self.links = links
        self.facts = SessionFacts(facts)
        keys = SessionKeys(now: links.now)
        endpoints = Mutex(links.makeEndpoints(for: self.facts, keys: keys.authenticator))
    }

    var settings: JSONNode { facts.current.json }

    func replaceSettings(_ settings: MappingField) throws(MappingError) { facts.replace(by: try LinkFacts(settings)) }

    /// A report of an app counts as new again.
    func reset() {
        let made = links.makeEndpoints(for: facts, keys: keys.authenticator)
        endpoints.withLock { $0 = made }
    }

    func takes(_ request: StubRequest) -> Bool {
        if LinkPath(request.target) != nil { return true }
        guard let head = HTTPRequest(request) else { return false }
        return endpoints.withLock(\.self).claim(to: head) != nil
    }

    func answer(_ request: StubRequest) async -> EndpointAnswer {
        switch LinkPath(request.target) {
        case .page(let query, let base):
            return LinksPage(links.suites, links.catalog, base: base).answer(request.method, query: query)
        case .host(let host, let target):
            guard let authority = links.catalog.authority(of: host) else {
                let text =
                    "No tenant has the host or the id '\(host)'; the tenants have \(links.catalog.ownedNames).\n"
                return EndpointAnswer(status: 404, headers: .plainText, body: Array(text.utf8))
            }
            return await answer(request, authority: authority, target: target)
        case nil: return await answer(request, authority: nil, target: request.target)
        }
    }

    private func answer(_ request: StubRequest, authority: String?, target: String) async -> EndpointAnswer {
        guard var head = HTTPRequest(request, authority: authority, target: target) else {
            return EndpointAnswer(
                status: 400,
                headers: .plainText,
                body: Array("The method or a header of the request is not HTTP.\n".utf8)
            )
        }
        keys.accept(head.headerFields[.authorization])
        var body = request.body
        let facts = facts.current
        if !facts.changesNoBody, request.method == "POST", head.path?.prefix(while: { $0 != "?" }) == "/resolve" {
            body = facts.applied(to: body, maximumBytes: links.limits.batchBytes)
            head.headerFields[.contentLength] = nil
        }
        let observed = RequestLinks()
        let endpoints = endpoints.withLock(\.self)
        let response = await RequestLinks.$current.withValue(observed) {
            await endpoints.answer(
                head,
                ByteBuffer(bytes: body),
                from: ClientAddress(NetworkAddress(request.clientAddress))
            )
        }
        return EndpointAnswer(
            status: response.status.code,
            headers: response.allHeaders.map { HeaderField($0.name.rawName, $0.value) },
            body: Array(response.body.readableBytesView),
            links: observed.records
        )
    }
}

/// The facts of a session, which a test may change while requests are answered.
final class SessionFacts: Sendable {
    private let facts: Mutex<LinkFacts>

    init(_ facts: LinkFacts) { self.facts = Mutex(facts) }

    var current: LinkFacts { facts.withLock(\.self) }

    func replace(by new: LinkFacts) { facts.withLock { $0 = new } }
}

extension HTTPRequest {
    /// The head of a request as the service reads it. Nil if a part of it is not HTTP.
    fileprivate init?(_ request: StubRequest, authority: String? = nil, target: String? = nil) {
        guard let method = Method(request.method) else { return nil }
        var fields = HTTPFields()
        for header in request.headers where !header.has(name: "host") {
            guard let name = HTTPField.Name(header.name) else { return nil }
            fields.append(HTTPField(name: name, value: header.value))
        }
        self.init(
            method: method,
            scheme: "http",
            authority: authority ?? request.header("host"),
            path: target ?? request.target,
            headerFields: fields
        )
    }
}

extension [HeaderField] {
    static let plainText = [HeaderField("Content-Type", "text/plain; charset=utf-8")]
}
