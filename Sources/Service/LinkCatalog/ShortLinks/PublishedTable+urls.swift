import LinkRouting

extension PublishedTable {
    /// Maximum number of addresses of one code. As many routes, and hosts of each, are tried, since trying takes time.
    private static let mostURLs = 16

    /// Returns the https URLs that lead to a short link: those of each host with links and each route that follows short
    /// links, if everybody may follow it there. Empty if the table has no such route.
    package func urls(of code: ShortCode) -> [String] { places(of: code).map(\.url) }

    /// The https URLs of codes without `/`, with `{code}` in place of the code, or `{code...}` where it may have `/`.
    package var urlPatterns: [String] {
        // A code of the most frequent form.
        guard let code = ShortCode("x") else { return [] }
        return places(of: code).map(\.pattern)
    }

    private func places(of code: ShortCode) -> [(url: String, pattern: String)] {
        var places: [(url: String, pattern: String)] = []
        for route in shortLinkRoutes.prefix(Self.mostURLs) {
            guard let path = route.path.filled(with: code.rawValue, orRest: code.rawValue),
                let pattern = route.path.filled(with: "{code}", orRest: "{code...}")
            else { continue }
            for authority in authorities(of: route).prefix(Self.mostURLs) where places.count < Self.mostURLs {
                guard let url = link("https://\(authority)\(path)", to: code),
                    !places.contains(where: { $0.url == url })
                else { continue }
                places.append((url, "https://\(authority)\(pattern)"))
            }
        }
        return places
    }

    /// Returns the hosts that may have links of the route, with their ports.
    private func authorities(of route: Route) -> [String] {
        var domains = settings.identity.domains.filter { $0.serves == .links && !$0.coversSubdomains }
        if case .exact(let host)? = route.host {
            domains = domains.filter { $0.host == host.ascii }
            // A wildcard may cover the host.
            if domains.isEmpty {
                return settings.identity.domain(for: host.ascii)?.serves == .links ? [host.ascii] : []
            }
        }
        return domains.map { domain in domain.port.map { "\(domain.host):\($0)" } ?? domain.host }
    }

    /// Returns the URL if the table follows the code in it, and no earlier route takes it.
    private func link(_ url: String, to code: ShortCode) -> String? {
        guard let link = try? DeepLink.parse(url),
            case .code(let text, _)? = router.resolve(link, in: LinkContext()).followed, text.isExactly(code.rawValue)
        else { return nil }
        return link.asciiText
    }
}

extension RoutePattern {
    /// Returns the path of a code; nil for a pattern with further parameters.
    fileprivate func filled(with code: String, orRest rest: String) -> String? {
        var path = ""
        for segment in segments {
            switch segment {
            case .literal(let bytes): path += "/" + String(decoding: bytes, as: UTF8.self)
            case .parameter(let parameter) where parameter.name == Route.Follow.codeParameter:
                path += "/" + code
            case .rest(Route.Follow.codeParameter): path += "/" + rest
            case .mixed(let mixed):
                guard mixed.pieces.count == 1, let piece = mixed.pieces.first,
                    piece.parameter.name == Route.Follow.codeParameter
                else { return nil }
                let texts = [mixed.prefix, piece.literal].map { String(decoding: $0, as: UTF8.self) }
                path += "/" + texts.joined(separator: code)
            case .parameter, .any, .rest: return nil
            }
        }
        return hasTrailingSlash ? path + "/" : path
    }
}
