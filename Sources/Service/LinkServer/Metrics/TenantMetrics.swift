import Atomics
package import CoreMetrics
package import LinkCatalog
package import LinkRouting
import Metrics
import Synchronization

/// Counts resolutions, requests for association files, short links and failed responses by tenant.
///
/// At most ``mostTenants`` tenants have their own value of the label `tenant`: first the tenants in the catalog at the
/// start, in its order, then new tenants as long as there is room. All other tenants share the value ``others``. Counts
/// that belong to no tenant have the value `-`. A tenant keeps its value until the process ends.
package final class TenantMetrics: Sendable {
    /// Maximum number of tenants with a value of their own. With two more values, the family with the most other labels
    /// (association files) has 612 series, which fits into the limit of a family.
    package static let mostTenants = 100
    /// The value for all tenants without their own. A tenant with this id shares it.
    package static let others = "other"

    /// The result of a request for an association file.
    package enum FileResult: String, Sendable, CaseIterable {
        /// 200 or 304.
        case served
        /// The tenant's rate limit is exceeded: 429.
        case rateLimited = "rate_limited"
        /// The file is not generated yet: 503.
        case unavailable
    }

    /// What became of a click or a resolution of a short link.
    package enum ShortLinkResult: String, Sendable, CaseIterable {
        case followed
        /// No link of the tenant has the code.
        case unknown
        /// Expired, archived or blocked.
        case gone
        /// The target is not answered by the table and not allowed by the settings any more.
        case broken
    }

    /// The ports whose requests belong to tenants.
    package enum Port: String, Sendable, CaseIterable {
        case `public`, admin
    }

    private let reference: ManagedAtomic<Named>
    private let other: Counters
    private let metrics: any MetricsFactory
    /// Held while ``reference`` is replaced.
    private let growing = Mutex(())

    /// An immutable map, so that counting takes one atomic load and one lookup.
    private final class Named: AtomicReference, Sendable {
        let counters: [TenantID: Counters]

        init(_ counters: [TenantID: Counters]) { self.counters = counters }
    }

    package init(metrics: any MetricsFactory) {
        self.metrics = metrics
        other = Counters(Self.others, metrics)
        reference = ManagedAtomic(Named([.none: Counters(TenantID.none.rawValue, metrics)]))
    }

    /// Gives the catalog's tenants their values, as long as there is room. Their counters begin at 0, because `rate()`
    /// does not see the first increment of a counter that was not there.
    package func add(tenantsOf catalog: Catalog) {
        growing.withLock { _ in
            var counters = reference.load(ordering: .acquiring).counters
            let before = counters.count
            for tenant in catalog.tables.lazy.map(\.tenant)
            where tenant.rawValue != Self.others && counters[tenant] == nil {
                // One value belongs to links without a tenant.
                guard counters.count <= Self.mostTenants else { break }
                counters[tenant] = Counters(tenant.rawValue, metrics)
            }
            guard counters.count > before else { return }
            reference.store(Named(counters), ordering: .releasing)
        }
    }

    /// Returns the value of the label `tenant` for a tenant.
    package func label(of tenant: TenantID) -> String {
        reference.load(ordering: .acquiring).counters[tenant] == nil ? Self.others : tenant.rawValue
    }

    /// Counts a recorded resolution. For links without a tenant, `tenant` is `.none`.
    package func count(_ outcome: Outcome, of tenant: TenantID) {
        counters(of: tenant).resolutions.first { $0.key == outcome }?.value.increment()
    }

    package func count(_ file: AssociationFile, _ result: FileResult, of tenant: TenantID) {
        let key = FileKey(file: file, result: result)
        counters(of: tenant).files.first { $0.key == key }?.value.increment()
    }

    package func count(_ result: ShortLinkResult, of tenant: TenantID) {
        counters(of: tenant).shortLinks.first { $0.key == result }?.value.increment()
    }

    /// Counts a response with a status of 500 or above. `tenant` is `.none` if it was not known.
    package func countFailure(on port: Port, of tenant: TenantID) {
        counters(of: tenant).failures.first { $0.key == port }?.value.increment()
    }

    private func counters(of tenant: TenantID) -> Counters {
        reference.load(ordering: .acquiring).counters[tenant] ?? other
    }

    private struct FileKey: Equatable {
        let file: AssociationFile
        let result: FileResult
    }

    /// The counters of one tenant. Each list is short, so that a linear search is faster than hashing.
    private final class Counters: Sendable {
        let resolutions: [(key: Outcome, value: Counter)]
        let files: [(key: FileKey, value: Counter)]
        let failures: [(key: Port, value: Counter)]
        let shortLinks: [(key: ShortLinkResult, value: Counter)]

        init(_ tenant: String, _ metrics: any MetricsFactory) {
            func counter(_ name: String, _ labels: [(String, String)]) -> Counter {
                Counter(label: name, dimensions: [("tenant", tenant)] + labels, factory: metrics)
            }
            // A server publishes no table with features that the engine lacks, so nothing is undecided.
            let outcomes = Outcome.allCases.filter { $0 != .undecided }
            resolutions = outcomes.map {
                ($0, counter("fingerpost_resolutions_total", [("outcome", $0.rawValue)]))
            }
            files = AssociationFile.allCases.flatMap { file in
                FileResult.allCases.map { result in
                    let labels = [("file", file.rawValue), ("result", result.rawValue)]
                    return (
                        FileKey(file: file, result: result), counter("fingerpost_association_requests_total", labels)
                    )
                }
            }
            failures = Port.allCases.map {
                ($0, counter("fingerpost_http_server_errors_total", [("port", $0.rawValue)]))
            }
            shortLinks = ShortLinkResult.allCases.map {
                ($0, counter("fingerpost_short_links_total", [("result", $0.rawValue)]))
            }
        }
    }
}
