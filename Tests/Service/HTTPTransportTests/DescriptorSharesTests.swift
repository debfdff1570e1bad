import HTTPTransport
import Testing

struct DescriptorSharesTests {
    @Test(arguments: [128, 129, 200, 256, 512, 1_000, 1_024, 4_096, 10_240, 65_536, 1_048_576])
    func everyCallerGetsAShare(_ limit: Int) {
        let shares = DescriptorShares(limit: limit, requested: 1_000_000)
        #expect(shares.public >= 16 && shares.admin >= 8 && shares.ops >= 16)
        let connections = shares.public + shares.admin + shares.ops + DescriptorShares.control
        #expect(connections + max(64, limit / 8) <= limit)
    }

    @Test func requestedShareIsKeptWhereThereIsEnough() {
        let shares = DescriptorShares(limit: 65_536, requested: 10_000)
        #expect(shares.public == 10_000)
        #expect(DescriptorShares(limit: 65_536, requested: 10).admin == 10)
    }
}
