import LinkEvents

@testable import LinkRouting

/// Any bytes are a `POST /resolve`, settings, or a named error. Every request is resolved without a trap, and its
/// destinations are only those that the tenant allows.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let limits = JSONReader.Limits(maximumBytes: 16_384)
    let read = Result { try bytes.withUnsafeBufferPointer { try ResolveRequest($0, limits: limits) } }
    guard let node = try? JSONReader.parse(bytes, limits: limits) else {
        guard case .failure(let error) = read else { preconditionFailure("a message is JSON") }
        precondition(error is JSONSyntaxError, "a syntax error takes precedence")
        return 0
    }
    switch read {
    case .success(let request): answer(request)
    case .failure(let error): check(error)
    }
    let field = DocumentField(node, path: "")
    do {
        check(try Settings(field).identity)
    } catch {
        precondition(!error.errors.isEmpty)
        for error in error.errors { check(error) }
    }
    return 0
}

private func check(_ error: any Error) {
    guard let error = error as? DocumentError else {
        preconditionFailure("an error that is not about the document: \(error)")
    }
    precondition(!error.message.isEmpty)
}

private func check(_ identity: Identity) {
    precondition(identity.destinations.schemes.isDisjoint(with: DestinationPolicy.forbiddenSchemes))
    precondition(identity.schemes.allSatisfy { !DestinationPolicy.isUnownable($0.name) })
    _ = Router(identity: identity, table: table).resolve("https://go.acme.test/p/x", in: LinkContext())
}

private func answer(_ request: ResolveRequest) {
    let links: [ResolveRequest.Link]
    switch request.subject {
    case .link(let link): links = [link]
    case .batch(let batch): links = batch
    case .continuation: return
    }
    precondition((1...ResolveRequest.maximumLinks).contains(links.count))
    for link in links {
        let resolution = router.resolve(link.url, in: request.context, explanation: request.explanation)
        guard let destination = resolution.destination else { continue }
        for url in [destination.web, destination.uri].compactMap(\.self) {
            guard let target = try? DeepLink.parse(url) else { preconditionFailure("\(url) is not a link") }
            precondition(router.identity.destinations.allows(target), "\(url) is not allowed")
            precondition(target.port == nil, "\(url) has a port")
            // A link that is its own URI keeps its bytes; everything else was written by the table.
            precondition(target.isWeb == (target.scheme == "https"))
        }
        if let store = destination.store.flatMap({ try? DeepLink.parse($0) }) {
            precondition(store.host == "apps.apple.com" || store.host == "play.google.com")
        }
    }
}

private func read(_ text: String) -> DocumentField {
    guard let node = try? JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 8_192)) else {
        preconditionFailure("the text is JSON")
    }
    return DocumentField(node, path: "")
}

private let table: RouteTable = {
    let routes = #"""
        {"defaults": {"fallback": {"open": {"screen": "H"}, "web": "https://www.acme.test/", "forward": "all"}}, "routes": [
          {"id": "p", "path": "/p/{x}", "open": {"screen": "S", "uri": "acme://{x}"}, "web": "https://www.acme.test/{x}"},
          {"id": "r", "path": "/r/{x...}", "open": {"screen": "S", "uri": "acme:{x}"}, "web": "https://www.acme.test?{x}#{x}"},
          {"id": "q", "path": "/q", "query": {"x": "string"}, "store": true, "campaign": "{x}", "signIn": "required",
           "open": {"screen": "S", "uri": "acme://h/{x}?x={x}"}, "web": "https://www.acme.test/{x}?x={x}"},
          {"id": "h", "host": "{x}.acme.link", "path": "/", "open": {"screen": "S"}, "web": "https://www.acme.test/{x}"}]}
        """#
    guard let table = try? RouteTable(read(routes)) else { preconditionFailure("the text is a table") }
    return table
}()

private let router: Router = {
    let settings = #"""
        {"domains": ["go.acme.test", "*.acme.link", {"host": "www.acme.test", "serves": "association"}], "schemes": ["acme"],
         "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme",
                   "stores": [{"kind": "appStore", "id": "123456789"}]}]}
        """#
    guard let identity = try? Identity(read(settings).anyObject()) else {
        preconditionFailure("the text is an identity")
    }
    return Router(identity: identity, table: table)
}()
