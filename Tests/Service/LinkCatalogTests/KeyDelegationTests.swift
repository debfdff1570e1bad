import LinkCatalog
import LinkRouting
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A key never makes a key that may do more than itself.
struct KeyDelegationTests {
    @Test(arguments: ["/", "/blog", "/blog/", "/blog/news/", "/caf\u{E9}/", "/a%20b/"])
    func pathOfWholeSegmentsIsAPrefix(_ text: String) {
        #expect(PathPrefix(text)?.description == text)
    }

    @Test(arguments: [
        "", "blog", "/{", "/reset/{", "/reset/{token}", "/reset/{token...}", "/a*", "/*", "/(a)", "/a)", "//", "/a//b",
        "/a?b", "/a#b", "/../a",
    ])
    func otherTextIsNoPrefix(_ text: String) {
        #expect(PathPrefix(text) == nil)
    }

    @Test(arguments: [
        ("/blog/", "/blog/x", true), ("/blog/", "/blog/{slug}", true), ("/blog/", "/blog/", true),
        ("/blog/", "/blog", false), ("/blog", "/blog", true), ("/blog", "/blog/x", true), ("/blog", "/blogs", false),
        ("/blog", "/blog{x}", false), ("/", "/anything", true), ("/caf\u{E9}/", "/cafe\u{301}/x", false),
    ])
    func prefixPermitsWhatIsBelowIt(_ prefix: String, _ path: String, _ isPermitted: Bool) throws {
        var grant = try grant()
        grant.routes = KeyGrant.RouteLimit(owners: nil, pathPrefixes: [try #require(PathPrefix(prefix))])
        let diff = TableDiff(
            from: .object(["routes": .array([])]),
            to: .object([
                "routes": .array([
                    .object([
                        "id": .string("a"), "path": .string(path),
                    ])
                ])
            ])
        )
        #expect(grant.refusals(of: diff).isEmpty == isPermitted)
    }

    /// Whatever the last key of a chain of three may change, its creators may. So may the last of two unrelated keys, if
    /// the first is said to have no more permissions.
    @Test func creatorsMayDoWhatTheirKeysMay() throws {
        var random = SeededGenerator(seed: 33)
        let settings = try Document.readYAML("{domains: [go.acme.test], schemes: [acme]}")
        let identity = try Settings(DocumentField(settings, path: "settings")).identity
        var permitted = 0
        var permittedByOwnLimitOnly = 0
        var compared = 0
        for _ in RandomCases.seeds(12_000) {
            let first = try grant(&random)
            guard let second = try grant(&random, by: first), let third = try grant(&random, by: second) else {
                continue
            }
            let (before, after) = edit(&random)
            let diff = TableDiff(from: before, to: after)
            let old = try RouteTable(DocumentField(before, path: "table"))
            let new = try RouteTable(DocumentField(after, path: "table"))
            func mayChange(_ key: KeyGrant) -> Bool {
                key.refusals(of: diff, from: old, to: new, of: identity).isEmpty
            }
            let creatorsMay = mayChange(first) && mayChange(second)
            if mayChange(third) {
                permitted += 1
                #expect(creatorsMay, "\(first.json.json()) \(second.json.json()) \(third.json.json()) \(diff.words)")
            } else {
                var alone = third
                alone.creatorLimits = []
                if mayChange(alone), !creatorsMay { permittedByOwnLimitOnly += 1 }
            }
            for environment in Self.environments {
                #expect(!third.allows(environment) || second.allows(environment) && first.allows(environment))
            }
            for scope in KeyGrant.Scope.allCases {
                #expect(!third.allows(scope, for: nil) || first.allows(scope, for: nil))
            }
            #expect(!third.isForWholeTenants || first.isForWholeTenants)
            var other = try grant(&random)
            other.routes = third.routeLimits.randomElement(using: &random)
            other.creatorLimits = third.routeLimits.filter { _ in Bool.random(using: &random) }
            if other.permitsNoMore(than: third) {
                compared += 1
                #expect(
                    !mayChange(other) || mayChange(third),
                    "\(other.json.json()) \(third.json.json()) \(diff.words)"
                )
            }
        }
        // Without the limits of their creators, keys would have been permitted more.
        #expect(permitted > 100 && permittedByOwnLimitOnly > 0 && compared > 100)
    }

    /// Every change is checked against each limit, so their number and size are bounded.
    @Test func limitsOfCreatorsAreFew() throws {
        var key = try grant()
        key.routes = KeyGrant.RouteLimit(owners: nil, pathPrefixes: [try #require(PathPrefix("/a/"))])
        for depth in 1...KeyGrant.maximumCreatorLimits {
            var next = try grant()
            let path = String(repeating: "/a", count: depth + 1) + "/"
            next.routes = KeyGrant.RouteLimit(owners: nil, pathPrefixes: [try #require(PathPrefix(path))])
            try next.limit(by: key)
            #expect(next.creatorLimits.count == depth)
            key = next
        }
        var tooDeep = key
        tooDeep.routes?.pathPrefixes?.append(try #require(key.routes?.pathPrefixes?.first))
        #expect(throws: KeyGrant.DelegationRefusal.tooManyLimits) { try tooDeep.limit(by: key) }
        // A key with the same limit adds none, so that a key can be rotated by itself for ever.
        var same = key
        try same.limit(by: key)
        #expect(same == key)
    }

    // MARK: Random keys and tables

    private static let environments = ["production", "staging"].compactMap { EnvironmentID($0) }
    private static let owners: [ExactText] = ["blog", "crm", "identity"]
    private static let prefixes = [
        "/", "/a/", "/a", "/a/b/", "/a/b", "/a/c", "/reset/", "/reset/a",
    ]
    private static let paths = [
        "/a", "/a/b", "/a/b/c", "/a/{x}", "/a/{x}/c", "/a/{x...}", "/reset/{token}", "/reset/a", "/reset/a/b", "/{x}/b",
        "/{page...}", "/a/b{x}",
    ]

    private func grant() throws -> KeyGrant {
        KeyGrant(
            id: "k",
            secretHash: Data(),
            tenant: nil,
            scopes: [.tablesWrite],
            createdAt: Timestamp(milliseconds: 0),
            expiresAt: nil,
            name: "k"
        )
    }

    private func grant(_ random: inout SeededGenerator) throws -> KeyGrant {
        var grant = try grant()
        grant.scopes = Set([[.tablesWrite], [.tablesWrite, .publish], [.admin]].randomElement(using: &random) ?? [])
        grant.environments = Bool.random(using: &random) ? nil : Set(some(of: Self.environments, &random))
        let owners = Bool.random(using: &random) ? nil : Set(some(of: Self.owners, &random))
        let prefixes =
            Bool.random(using: &random)
            ? nil : some(of: Self.prefixes, &random).compactMap { PathPrefix($0) }
        if owners != nil || prefixes != nil {
            grant.routes = KeyGrant.RouteLimit(owners: owners, pathPrefixes: prefixes)
        }
        return grant
    }

    /// A key that `creator` creates, mostly for some of its owners and below its paths; nil if it may not be created.
    private func grant(_ random: inout SeededGenerator, by creator: KeyGrant) throws -> KeyGrant? {
        var grant = try grant(&random)
        if Int.random(in: 0..<8, using: &random) > 0 {
            grant.scopes = creator.scopes
            grant.environments = creator.environments
            let owners = creator.routes?.owners.map { Set(some(of: Array($0).sorted(), &random)) }
            let below = creator.routes?.pathPrefixes.map { outer in
                Self.prefixes.filter { prefix in outer.contains { prefix.hasPrefix($0.description) } }
            }
            let prefixes = Bool.random(using: &random) ? below ?? Self.prefixes : below.map { some(of: $0, &random) }
            if owners != nil || prefixes != nil {
                grant.routes = KeyGrant.RouteLimit(
                    owners: owners ?? grant.routes?.owners,
                    pathPrefixes: prefixes.map { some(of: $0, &random).compactMap { PathPrefix($0) } }
                )
            }
        }
        do { try grant.limit(by: creator) } catch { return nil }
        return grant
    }

    private func some<Element>(of all: [Element], _ random: inout SeededGenerator) -> [Element] {
        let others = all.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        return others + [all.randomElement(using: &random)].compactMap(\.self)
    }

    /// A table of routes of several owners, and the same table with a route more or another.
    private func edit(_ random: inout SeededGenerator) -> (before: JSONNode, after: JSONNode) {
        func route(_ id: Int) -> JSONNode {
            .object([
                "id": .string("r\(id)"),
                "owner": Self.owners.randomElement(using: &random).map { .string($0.description) },
                "path": Self.paths.randomElement(using: &random).map(JSONNode.string),
                "when": Int.random(in: 0..<4, using: &random) == 0 ? .object(["platform": .string("ios")]) : nil,
            ])
        }
        let routes = (0..<Int.random(in: 1...3, using: &random)).map(route)
        var changed = routes
        if let index = routes.indices.randomElement(using: &random), Bool.random(using: &random) {
            changed[index] = route(index)
        } else {
            changed.insert(route(9), at: Int.random(in: 0...routes.count, using: &random))
        }
        return (.object(["routes": .array(routes)]), .object(["routes": .array(changed)]))
    }
}
