import AppAssociation
import LinkCatalog
import LinkRouting

extension RecordedLink {
    /// Resolves the link with a table, at best so that the recorded route and outcome come out. Nil if the recorded parts
    /// form no valid link.
    ///
    /// - Parameter tables: The tables whose route gives the stand-ins for sensitive values, in order of preference.
    func resolved(
        by table: PublishedTable,
        in context: LinkContext,
        standInsFor tables: [PublishedTable]
    ) -> (link: DeepLink, resolution: Resolution)? {
        var last: (link: DeepLink, resolution: Resolution)?
        for text in texts(standInsFor: tables) {
            guard let link = try? DeepLink.parse(text) else { continue }
            let resolution = table.router.resolve(link, in: context)
            last = (link, resolution)
            if isReproduced(by: resolution) { break }
        }
        return last
    }

    /// Whether an answer is the recorded one, as far as it can be known: where the table follows the link, its target
    /// decided, which is not replayed.
    func isReproduced(by answer: Resolution) -> Bool {
        answer.followed != nil || answer.route == route && answer.outcome == outcome
    }

    /// Returns the texts to resolve for the link. Stand-ins replace sensitive values.
    private func texts(standInsFor tables: [PublishedTable]) -> [String] {
        guard !withheld.isEmpty else { return [shown] }
        return tables.compactMap { table in
            guard let route = table.router.table.routes.first(where: { $0.id == route }) else { return nil }
            return text(with: route.sample)
        }
    }
}

extension Route {
    /// Returns a value that the route's parameter in host or path accepts; nil if it has no such parameter.
    fileprivate func sample(of name: String) -> String? {
        if case .label(let parameter?, _) = host, parameter.name == name { return parameter.type.sample }
        for segment in path.segments {
            switch segment {
            case .parameter(let parameter) where parameter.name == name: return parameter.type.sample
            case .rest(name): return ParameterType.plain.sample
            case .mixed(let mixed):
                guard let piece = mixed.pieces.first(where: { $0.parameter.name == name }) else { continue }
                return piece.parameter.type.sample
            case .literal, .any, .parameter, .rest: continue
            }
        }
        return nil
    }
}
