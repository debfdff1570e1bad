import LinkCatalog
import LinkRouting
import StubMatching

/// The routes whose paths are most like that of a link which no route matches.
struct NearestRoutes {
    private let routes: [(id: RouteID, path: String, distance: Double)]

    private static let count = 3
    /// The maximum number of routes that are compared.
    private static let maximumCompared = 2_000
    private static let maximumPathBytes = 256

    init(to link: DeepLink, in table: PublishedTable) {
        let path = (0..<link.segmentCount).map { "/\(link.segmentText($0))" }.joined().utf8Prefix(Self.maximumPathBytes)
        let ranked = table.router.table.routes.prefix(Self.maximumCompared).map { route in
            let pattern = route.path.description
            return (
                id: route.id, path: pattern, distance: Self.distance(path, pattern.utf8Prefix(Self.maximumPathBytes))
            )
        }
        // Only the index makes the sort stable.
        routes = ranked.enumerated()
            .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
            .prefix(Self.count).map(\.element)
    }

    /// The mean distance of the segments: 0 for a parameter, and for a segment that is equal.
    private static func distance(_ path: String, _ pattern: String) -> Double {
        let (segments, patterns) = (path.split(separator: "/"), pattern.split(separator: "/"))
        let count = max(segments.count, patterns.count)
        guard count > 0 else { return 0 }
        let shared = zip(segments, patterns).reduce(0.0) { sum, pair in
            sum
                + (pair.1.contains("{") || pair.1 == "*"
                    ? 0.1 : TextDistance.normalized(String(pair.0), String(pair.1)))
        }
        return (shared + Double(count - min(segments.count, patterns.count))) / Double(count)
    }

    var json: JSONNode {
        .array(routes.map { .object(["id": .string($0.id.rawValue), "path": .string($0.path)]) })
    }

    /// The routes as text, such as `product (/product/{id}), list (/products)`.
    var text: String { routes.map { "\($0.id) (\($0.path))" }.joined(separator: ", ") }
}
