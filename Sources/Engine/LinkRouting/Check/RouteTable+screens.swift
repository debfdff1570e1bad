extension RouteTable {
    /// Returns a finding for each screen that is probably a misspelling of another one: the same letters in another order
    /// or case, such as `Prodcut` beside `Product`; without declared screens also one that ``ScreenSpelling`` finds.
    func similarScreens() -> [Finding] {
        var uses: [Use] = []
        for (index, route) in routes.enumerated() { uses += route.screens.map { Use(name: $0, route: index) } }
        let permuted = Dictionary(grouping: uses) { Self.letters(of: $0.name) }.values.flatMap { uses -> [Finding] in
            guard uses.contains(where: { $0.name != uses[0].name }) else { return [] }
            return findings(on: uses)
        }
        return (permuted + (screens == nil ? misspelt(uses) : [])).sorted { $0.path < $1.path }
    }

    private struct Use {
        let name: String
        let route: Int
    }

    /// - Parameter uses: The names with the same letters, in the order of the routes.
    private func findings(on uses: [Use]) -> [Finding] {
        let counts = Dictionary(uses.map { ($0.name, 1) }, uniquingKeysWith: +)
        // Of equally frequent names, the first one is taken as correct.
        let most = counts.values.max() ?? 0
        guard let meant = uses.first(where: { counts[$0.name] == most })?.name else { return [] }
        var reported: Set<String> = []
        return uses.filter { $0.name != meant && reported.insert($0.name).inserted }.map { use in
            finding(use, "has the same letters as", meant, most)
        }
    }

    private func misspelt(_ uses: [Use]) -> [Finding] {
        let counts = Dictionary(uses.map { ($0.name, 1) }, uniquingKeysWith: +)
        var spelling = ScreenSpelling(counts)
        var reported: Set<String> = []
        return uses.filter { reported.insert($0.name).inserted }.compactMap { use in
            guard let meant = spelling.meant(by: use.name, uses: counts[use.name] ?? 0),
                Self.letters(of: meant.name) != Self.letters(of: use.name)
            else { return nil }
            return finding(use, "is spelled almost like", meant.name, meant.uses)
        }
    }

    private func finding(_ use: Use, _ relation: String, _ meant: String, _ uses: Int) -> Finding {
        let count = uses == 1 ? "once" : "\(uses) times"
        return Finding(
            .similarScreen,
            .warning,
            path: "routes[\(use.route)].open",
            route: routes[use.route].id,
            message: "The screen '\(use.name)' \(relation) '\(meant)', which is used \(count).",
            fix: "Correct the name, unless the app has both screens. With 'screens', every name is checked."
        )
    }

    private static func letters(of name: String) -> String {
        String(decoding: name.lowercased().utf8.sorted(), as: UTF8.self)
    }
}

extension Route {
    /// The screens that the route opens, including those of its experiment.
    fileprivate var screens: [String] {
        guard case .answer(let target) = behaviour else { return [] }
        let targets = [target] + (experiment?.variants.map(\.target).filter { $0 != target } ?? [])
        return targets.compactMap(\.open).flatMap { open in
            [open.screen] + open.stack.map(\.name).filter { $0 != open.screen }
        }
    }
}
