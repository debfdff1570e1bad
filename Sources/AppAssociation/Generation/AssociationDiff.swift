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
        var sides = [Side(router: before, budget: budget), Side(router: after, budget: budget)]
        var moves: [Move] = []
        var evaluatedCount = 0
        for text in links {
            guard let link = try? DeepLink.parse(text), let host = link.host else { continue }
            var apps: [AppName] = []
            for index in sides.indices {
                for app in sides[index].apps(on: host) where !apps.contains(app) { apps.append(app) }
            }
            for app in apps {
                guard budget.spend(Self.stepsPerLink) else { break }
                let handlers = sides.indices.map { sides[$0].handler(of: text, host, app) }
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

private struct AppName: Hashable {
    let name: String
    let platform: Platform
}

/// One table with its files. Each file is generated and parsed once.
private struct Side {
    let router: Router
    private let budget: WorkBudget
    private var apple: [String: AppleAppSiteAssociation] = [:]
    private var android: [String: AssetLinks] = [:]

    init(router: Router, budget: WorkBudget) {
        self.router = router
        self.budget = budget
    }

    func apps(on host: String) -> [AppName] {
        guard let domain = router.identity.domain(for: host) else { return [] }
        return router.identity.apps.filter { $0.kind == .app && $0.isNamed(on: domain.host, of: router.identity) }
            .map { app in
                switch app.product {
                case .ios: AppName(name: app.applicationIdentifier ?? app.id.rawValue, platform: .ios)
                case .android(let package, _): AppName(name: package, platform: .android)
                }
            }
    }

    mutating func handler(of link: String, _ host: String, _ app: AppName) -> AssociationDiff.Handler {
        guard let domain = router.identity.domain(for: host)?.host else { return .browser }
        guard app.platform == .android else {
            let file =
                apple[domain] ?? Self.parsed(AASAGenerator.file(for: domain, router: router, within: budget))
            apple[domain] = file
            return file.decision(for: link, app: app.name).outcome == .match ? .app : .browser
        }
        let file =
            android[domain] ?? Self.parsed(AssetLinksGenerator.file(for: domain, router: router, within: budget))
        android[domain] = file
        return switch file.decision(for: link, package: app.name).outcome {
        case .match: .app
        case .manifest: .manifest
        case .exclude, .noMatch: .browser
        }
    }

    private static func parsed(_ file: [UInt8]) -> AppleAppSiteAssociation {
        do { return try AppleAppSiteAssociation(parsing: file) } catch {
            preconditionFailure("the generator writes JSON: \(error)")
        }
    }

    private static func parsed(_ file: [UInt8]) -> AssetLinks {
        do { return try AssetLinks(parsing: file) } catch { preconditionFailure("the generator writes JSON: \(error)") }
    }
}
