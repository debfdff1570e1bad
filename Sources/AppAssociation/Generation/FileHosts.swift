import LinkRouting

/// The hosts whose links one association file is for.
///
/// The file of `*.x` is read from `x`, so the file that stands on `x` is for `x` itself where the tenant lists it, and for
/// every host below it where the tenant lists `*.x`.
struct FileHosts {
    /// In look-up form.
    let host: String
    let includesHost: Bool
    let includesSubdomains: Bool
    private let link: Link?

    init(_ host: String, of identity: Identity) {
        self.host = host
        includesSubdomains = identity.wildcard(of: host) != nil
        includesHost = !includesSubdomains || identity.domain(for: host) != nil
        link = try? Link.parse("https://\(host)/")
    }

    /// Some of the hosts, in look-up form.
    var samples: [String] { (includesHost ? [host] : []) + (includesSubdomains ? ["x.\(host)"] : []) }

    enum Share {
        case none, some, all
    }

    /// On how many of the hosts a route's host condition holds.
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

extension App {
    /// Prefix and bundle ID, as association files name an iOS app.
    var applicationIdentifier: String? {
        guard case .ios(let teamID, let bundleID) = product else { return nil }
        return "\(teamID).\(bundleID)"
    }

    /// Whether the file that stands on `host` names the app.
    func isNamed(on host: String, of identity: Identity) -> Bool {
        guard let domains else { return true }
        // The file of `*.x` also stands on `x`.
        let owners = [identity.domain(for: host), identity.wildcard(of: host)]
        return owners.contains { owner in
            owner.map { domains.contains($0.coversSubdomains ? "*.\($0.host)" : $0.host) } ?? false
        }
    }
}
