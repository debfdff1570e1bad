import LinkCatalog
import LinkRouting
import Testing

struct HostOverlapTests {
    /// Claims that are kept only for the requested hosts give the same answers for those hosts.
    @Test(arguments: [
        ("a.example", false, true), ("a.example", true, true), ("b.a.example", false, false),
        ("b.a.example", true, true),
        ("example", true, true), ("example", false, false), ("x.wild.example", false, true),
        ("wild.example", false, true),
        ("other.example", true, false),
    ]) func overlapsAreFoundForTheGivenHosts(_ host: String, _ isWild: Bool, _ isTaken: Bool) throws {
        let (one, other) = (try #require(TenantID("one")), try #require(TenantID("other")))
        for claims in [HostClaims(), HostClaims(parents: isWild ? [host] : [])] {
            var claims = claims
            claims.add("a.example", coversSubdomains: false, of: one)
            claims.add("c.b.a.example", coversSubdomains: false, of: one)
            claims.add("wild.example", coversSubdomains: true, of: one)
            #expect(claims.overlap(host, coversSubdomains: isWild, of: other) == isTaken)
            #expect(!claims.overlap(host, coversSubdomains: isWild, of: one))
        }
    }
}
