package import LinkRouting

/// The hosts for whose links one association file applies.
///
/// Devices read the file of `*.x` from `x`. The file on `x` therefore applies to `x` itself if the tenant lists it, and
/// to all its subdomains if the tenant lists `*.x`.
struct FileHosts {
    /// The host of the file, in lookup form.
    let host: String
    let includesHost: Bool
    let includesSubdomains: Bool
    private let link: DeepLink?

    init(_ host: String, of identity: Identity) {
        self.host = host
        includesSubdomains = identity.wildcard(of: host) != nil
        includesHost = !includesSubdomains || identity.domain(for: host) != nil
        link = try? DeepLink.parse("https://\(host)/")
    }

    /// Examples of the hosts, in lookup form.
    var samples: [String] {
        (includesHost ? [host] : []) + (includesSubdomains ? ["x.\(host)", "other.\(host)"] : [])
    }

    enum Share {
        case none, some, all
    }

    /// Returns on how many of the hosts a route's host condition holds.
    func share(of route: Route) -> Share {
        guard let condition = route.host else { return .all }
        let holdsOnHost = includesHost && link.map(route.hostHolds) == true
        guard includesSubdomains else { return holdsOnHost ? .all : .none }
        let holdsBelow =
            switch condition {
            case .exact(let exact): isBelow(exact)
            case .label(_, let suffix): suffix.ascii == host || isBelow(suffix)
            }
        return holdsOnHost || holdsBelow ? .some : .none
    }

    private func isBelow(_ name: HostName) -> Bool { HostName.parents(of: name.ascii).contains { $0 == host } }
}

extension Router {
    /// Returns the apps that the files on `host` name, in the order of the settings.
    func apps(on host: String) -> [RegisteredApp] {
        identity.apps.filter { $0.isPart(of: environment) && $0.isNamed(on: host, of: identity) }
    }

    /// Returns the meaning of the table for an app on the hosts of the files on `host`.
    func appRoutes(of app: RegisteredApp, on host: String) -> AppRoutes {
        AppRoutes(app: app, hosts: FileHosts(host, of: identity), router: self)
    }
}

extension RegisteredApp {
    /// The team ID and the bundle ID, as association files name an iOS app; nil for an Android app.
    var applicationIdentifier: String? {
        guard case .ios(let teamID, let bundleID) = product else { return nil }
        return "\(teamID).\(bundleID)"
    }

    /// Returns whether the file on `host` names the app.
    package func isNamed(on host: String, of identity: Identity) -> Bool {
        guard let domains else { return true }
        // Devices read the file of `*.x` from `x` too.
        let owners = [identity.domain(for: host), identity.wildcard(of: host)]
        return owners.contains { owner in
            owner.map { domains.contains($0.coversSubdomains ? "*.\($0.host)" : $0.host) } ?? false
        }
    }
}
