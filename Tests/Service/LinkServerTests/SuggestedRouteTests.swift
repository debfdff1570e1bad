import LinkRouting
import Testing

@testable import Console

/// The route that a recorded path of unmatched links suggests.
struct SuggestedRouteTests {
    struct Case: Sendable {
        let path: String
        let recorded: SuggestedRoute.Recording
        let pattern: String
        let id: String

        init(_ path: String, _ recorded: SuggestedRoute.Recording, _ pattern: String, _ id: String) {
            (self.path, self.recorded, self.pattern, self.id) = (path, recorded, pattern, id)
        }
    }

    static let cases = [
        Case("/", .shape, "/", "home"),
        Case("/item/{int}", .shape, "/item/{id:int}", "item"),
        Case("/Sale/{slug}/{int}", .shape, "/Sale/{name}/{id:int}", "sale"),
        Case("/{slug}/{slug}/{int}", .shape, "/{name}/{name2}/{id:int}", "id-name-name2"),
        Case("/a/{uuid}/{hex}/{date}/{text}", .shape, "/a/{id:uuid}/{id2:hex}/{date:date}/{text}", "a"),
        Case("/a/{rest}", .shape, "/a/{rest...}", "a"),
        // A pattern of the table has the number.
        Case("/2024/{int}", .shape, "/2024/{id:int}", "2024"),
        Case("/a%7Bb%7D/*/{int}", .shape, #"/a%7Bb%7D/\*/{id:int}"#, "a7bb7d"),
        Case("/-/_x", .shape, "/-/_x", "x"),
        Case("/über/{int}", .shape, "/über/{id:int}", "ber"),
        Case("/日本/{int}", .shape, "/日本/{id:int}", "route"),
        Case("/sale", .firstSegment, "/sale/{rest...}", "sale"),
        Case("/", .firstSegment, "/", "home"),
        Case("/item/7", .full, "/item/{id:int}", "item"),
        Case("/item/007/-3", .full, "/item/007/{id:int}", "item-007"),
        Case("/day/2026-11-21", .full, "/day/{date:date}", "day"),
        Case("/u/550e8400-e29b-41d4-a716-446655440000", .full, "/u/{id:uuid}", "u"),
        Case("/t/0123456789abcdef0", .full, "/t/{id:hex}", "t"),
        Case("/cafe/beef", .full, "/cafe/beef", "cafe-beef"),
        Case("/reset/{token}", .full, "/reset/{token}", "reset"),
        Case("/{slug}/{slug}/{name2}", .full, "/{name}/{name2}/{name22}", "name-name2-name22"),
        Case("/a/{b c}", .full, "/a/{value}", "a"),
    ]

    @Test(arguments: cases)
    func pathSuggestsARouteOfATable(_ test: Case) throws {
        let route = SuggestedRoute(test.path, recorded: test.recorded)
        #expect(route.pattern == test.pattern)
        #expect(route.id == test.id)
        _ = try RoutePattern(route.pattern)
        #expect(RouteID(route.id) != nil)
    }
}
