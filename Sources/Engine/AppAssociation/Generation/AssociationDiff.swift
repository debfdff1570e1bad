public import LinkRouting

/// The effect on given links of publishing one table after another: the links that move from the app to the browser, or
/// back.
///
/// Each link is evaluated with the generated files of its host, for every app that either table names there.
public struct AssociationDiff: Sendable, Hashable {
    /// The moves in the order of the links, then of the apps.
    public let moves: [Move]
    /// The number of pairs of link and app that were evaluated.
    public let evaluatedCount: Int

    /// The steps for one pair of link and app. Evaluating it reads two files with any number of rules.
    private static let stepsPerLink = 20_000

    public struct Move: Sendable, Hashable {
        public let link: String
        /// The app as the file names it: an application identifier or a package.
        public let app: String
        public let platform: Platform
        public let before: Handler
        public let after: Handler
    }

    /// The handler that opens a link on a device that has the app.
    public enum Handler: String, Sendable {
        case app
        case browser
        /// Android only: the intent filters of the app's manifest decide.
        case manifest
    }

    /// Compares the files of two tables for `links`. Texts that are not links with a host are skipped.
    /// - Parameter budget: Links for which the budget does not suffice are not evaluated.
    public init(
        of links: [String],
        from before: Router,
        to after: Router,
        within budget: WorkBudget = .unlimited
    ) {
        var sides = [before, after].map { GeneratedAssociationFiles(router: $0, within: budget) }
        var moves: [Move] = []
        var evaluatedCount = 0
        for text in links {
            guard let link = try? DeepLink.parse(text), let host = link.host else { continue }
            var apps: [GeneratedAssociationFiles.AppName] = []
            for index in sides.indices {
                for app in sides[index].apps(on: host) where !apps.contains(app) { apps.append(app) }
            }
            for app in apps {
                guard budget.spend(Self.stepsPerLink) else { break }
                let handlers = sides.indices.map { sides[$0].handler(of: text, on: host, for: app) }
                evaluatedCount += 1
                guard handlers[0] != handlers[1] else { continue }
                moves.append(
                    Move(link: text, app: app.name, platform: app.platform, before: handlers[0], after: handlers[1])
                )
            }
        }
        self.moves = moves
        self.evaluatedCount = evaluatedCount
    }

    /// The diff as JSON: `{"moves": [{"link", "app", "platform", "before", "after"}], "judged": 12}`.
    public var json: JSONNode {
        .object(["moves": .array(moves.map(\.json)), "judged": .int(evaluatedCount)])
    }
}

extension AssociationDiff.Move {
    public var json: JSONNode {
        .object([
            "link": .string(link), "app": .string(app), "platform": .string(platform.rawValue),
            "before": .string(before.rawValue), "after": .string(after.rawValue),
        ])
    }
}

extension GeneratedAssociationFiles {
    /// Returns the apps that the files of a host name.
    fileprivate func apps(on host: String) -> [AppName] {
        guard let domain = router.identity.domain(for: host) else { return [] }
        return router.identity.apps
            .filter { $0.kind == .app && $0.isNamed(on: domain.host, of: router.identity) }
            .map { AppName($0) }
    }
}
