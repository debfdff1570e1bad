public import LinkRouting

/// The association files of all hosts of a tenant, generated from its table with one budget.
///
/// The same table with the same settings always gives the same files, even if the budget is used up: it counts steps.
public struct AssociationFiles: Sendable {
    /// The `apple-app-site-association` file and the `assetlinks.json` file of one host.
    public struct Pair: Sendable, Hashable {
        public let apple: [UInt8]
        public let android: [UInt8]
    }

    /// The files by host, as the settings name it. The files of `*.x` are under `x`.
    public private(set) var byHost: [String: Pair] = [:]
    /// The number of exclusions that were left out because the budget was used up before they were proved.
    public private(set) var undecided = 0

    /// The maximum number of domains. A tenant with more has no files, and a check of its table reports that.
    public static let maximumHosts = 5_000
    /// The maximum size of a tenant's different files together, in bytes. A tenant with more has no files, and a check
    /// of its table reports that.
    public static let maximumBytes = 33_554_432

    /// Generates the files. There are none if the tenant exceeds ``maximumHosts`` or ``maximumBytes``.
    public init(router: Router, within budget: WorkBudget = .associationFiles) {
        self.init(router: router, within: budget, maximumBytes: Self.maximumBytes)
    }

    package init(router: Router, within budget: WorkBudget, maximumBytes: Int) {
        guard router.identity.domains.count <= Self.maximumHosts else { return }
        var known: [HostRoutes: Pair] = [:]
        let size = WorkBudget(steps: maximumBytes)
        for domain in router.identity.domains where byHost[domain.host] == nil {
            let routes = HostRoutes(domain.host, router, budget)
            if let pair = known[routes] {
                byHost[domain.host] = pair
                continue
            }
            guard let apple = AASAGenerator(host: domain.host, router: router).make(within: budget, size: size),
                let android = AssetLinksGenerator(host: domain.host, router: router).make(within: budget, size: size),
                !budget.isCancelled
            else {
                byHost = [:]
                return
            }
            let pair = Pair(apple: apple.file, android: android.file)
            known[routes] = pair
            byHost[domain.host] = pair
        }
        undecided = budget.undecided
    }
}

/// The inputs that determine the files of a host. Hosts with equal inputs share their files.
struct HostRoutes: Hashable {
    private let apps: [AppID]
    private let shares: [FileHosts.Share]
    private let includesHost: Bool

    /// Spends a step, so that a cancellation is noticed even if all hosts share their files.
    init(_ host: String, _ router: Router, _ budget: WorkBudget) {
        _ = budget.spend()
        let hosts = FileHosts(host, of: router.identity)
        apps = router.apps(on: host).map(\.id)
        shares = router.table.routes.lazy.filter { $0.host != nil }.map(hosts.share)
        includesHost = hosts.includesHost
    }
}

extension WorkBudget {
    /// Spends the bytes of a file for which `estimated` steps were spent while its rules were made. Returns false once
    /// the budget is used up.
    func spend(on file: [UInt8], estimated: Int) -> Bool { spend(max(0, file.count - estimated)) }

    /// The budget for the files of one table: at most a few seconds of processor time.
    public static var associationFiles: WorkBudget { WorkBudget(steps: 20_000_000) }
    /// The budget for validating a file.
    public static var associationValidation: WorkBudget { WorkBudget(steps: 5_000_000) }
}
