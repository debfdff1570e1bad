extension RouteTable {
    /// Returns a finding for each route whose screen is probably a misspelling of another route's: the same letters in
    /// another order or case, such as `Prodcut` beside `Product`. No document declares the screens of an app, so other
    /// misspellings cannot be found.
    func similarScreens() -> [Finding] {
        var uses: [String: [(name: String, route: Int)]] = [:]
        for (index, route) in routes.enumerated() {
            for open in route.screens { uses[Self.letters(of: open), default: []].append((open, index)) }
        }
        return uses.values.flatMap { uses -> [Finding] in
            guard uses.contains(where: { $0.name != uses[0].name }) else { return [] }
            return findings(on: uses)
        }.sorted { $0.path < $1.path }
    }

    /// - Parameter uses: The names of similar screens, in the order of the routes.
    private func findings(on uses: [(name: String, route: Int)]) -> [Finding] {
        let counts = Dictionary(uses.map { ($0.name, 1) }, uniquingKeysWith: +)
        // Of equally frequent names, the first one is taken as correct.
        let most = counts.values.max() ?? 0
        guard let meant = uses.first(where: { counts[$0.name] == most })?.name else { return [] }
        var told: Set<String> = []
        return uses.filter { $0.name != meant && told.insert($0.name).inserted }.map { name, route in
            Finding(
                .similarScreen,
                .warning,
                path: "routes[\(route)].open",
                route: routes[route].id,
                message:
                    "The screen '\(name)' has the same letters as '\(meant)', which is used \(most == 1 ? "once" : "\(most) times").",
                fix: "Correct the name, unless the app has both screens."
            )
        }
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
