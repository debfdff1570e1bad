package import LinkRouting

/// What a followed link leads to.
package enum FollowedTarget: Sendable {
    /// A web link of the tenant, with the answer of its table.
    case link(CatalogResolution)
    /// A page on a host that the tenant's links may lead to.
    case page(DeepLink)
}

extension Catalog {
    /// Resolves the text that a link of `table` leads to. Synchronous, without I/O.
    ///
    /// A page on an allowed host is a page even if another tenant claims the host, so that no tenant breaks the links of
    /// another. Routes of other tenants are not used.
    ///
    /// - Returns: Nil for anything else than a web link that the table answers and a page that the settings allow: for a
    ///   custom scheme, and a link that leads on again.
    package func target(_ text: String, of table: PublishedTable, in context: LinkContext) -> FollowedTarget? {
        let located = locate(text, in: table.environment)
        guard case .success(let link) = located.parsed, let host = link.host else { return nil }
        if located.tenant == table.tenant {
            let answer = located.resolve(in: context, explanation: .omitted)
            switch answer.resolution.outcome {
            case .matched: return .link(answer)
            case .undecided, .rejected: return nil
            case .unmatched, .fallback:
                // The tenant's website has pages without routes.
                guard self.table(forHost: host, port: link.port)?.serves == .association else { return nil }
            }
        }
        // A redirect needs the ASCII form of the host.
        guard host.utf8.allSatisfy({ $0 < 0x80 }), table.settings.identity.destinations.allows(link) else { return nil }
        return .page(link)
    }
}

extension ShortLink.Content {
    /// The target with the items of the campaign that it lacks, and these items.
    package var landing: (text: String, added: [(name: String, value: String)]) {
        guard !campaign.isEmpty, let link = try? DeepLink.parse(target) else { return (target, []) }
        let items = ShortLink.campaignKeys.compactMap { key in campaign[key].map { (name: "utm_\(key)", value: $0) } }
        let missing = items.filter { item in
            !link.query.contains { link.matchesName($0, item.name.utf8, plus: .plus) }
        }
        return (link.text(adding: missing), missing)
    }
}
