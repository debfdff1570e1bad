public import LinkRouting

/// The association files of all hosts of a tenant, made from its table with one budget.
///
/// The same table under the same settings gives the same files everywhere, also where the budget ends: it counts steps.
public struct AssociationFiles: Sendable {
    public struct Pair: Sendable, Hashable {
        public let apple: [UInt8]
        public let android: [UInt8]
    }

    /// By host as the settings name it; of `*.x` by `x`.
    public private(set) var byHost: [String: Pair] = [:]
    /// How many exclusions were left out because the budget ended before they were proved.
    public private(set) var undecided = 0

    /// A tenant with more domains has no files; a check of its table says so.
    public static let maximumHosts = 5_000

    public init(router: Router, within budget: WorkBudget = .associationFiles) {
        guard router.identity.domains.count <= Self.maximumHosts else { return }
        var known: [HostRoutes: Pair] = [:]
        for domain in router.identity.domains where byHost[domain.host] == nil {
            let routes = HostRoutes(domain.host, router, budget)
            if let pair = known[routes] {
                byHost[domain.host] = pair
                continue
            }
            let apple = AppleFileGenerator(host: domain.host, router: router)
            let android = AndroidFileGenerator(host: domain.host, router: router)
            let pair = Pair(apple: apple.file(within: budget), android: android.file(within: budget))
            known[routes] = pair
            byHost[domain.host] = pair
        }
        undecided = budget.undecided
    }
}

/// What decides how the files of a host look: hosts with the same share them.
struct HostRoutes: Hashable {
    private let apps: [AppID]
    private let shares: [FileHosts.Share]
    private let includesHost: Bool

    /// Takes a step, so that a cancellation is noticed where all hosts mean the same.
    init(_ host: String, _ router: Router, _ budget: WorkBudget) {
        _ = budget.spend()
        let hosts = FileHosts(host, of: router.identity)
        apps = router.identity.apps.filter {
            $0.environment == router.environment && $0.isNamed(on: host, of: router.identity)
        }
        .map(\.id)
        shares = router.table.routes.lazy.filter { $0.host != nil }.map(hosts.share)
        includesHost = hosts.includesHost
    }
}

extension WorkBudget {
    /// For the files of one table: some seconds of a processor at most.
    public static var associationFiles: WorkBudget { WorkBudget(steps: 20_000_000) }
    /// For judging one file.
    public static var associationJudgement: WorkBudget { WorkBudget(steps: 5_000_000) }
}
