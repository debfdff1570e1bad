import LinkRouting
import Testing

struct BucketTests {
    @Test(arguments: try RoutingDocument.rows(under: "Buckets")) func vectorHolds(_ row: [String]) throws {
        let salt = try #require(try RoutingDocument.json(row[0]).text)
        let stickyKey = try #require(try RoutingDocument.json(row[1]).text)
        #expect("\(Bucket.of(stickyKey, salt: salt))" == row[2])
    }

    @Test func documentHasVectors() throws {
        #expect(try RoutingDocument.rows(under: "Buckets").count >= 12)
    }

    @Test func keysSpreadEvenly() {
        var tenths = Array(repeating: 0, count: 10)
        for key in 0..<20_000 { tenths[Bucket.of("install-\(key)", salt: "spread") / 1_000] += 1 }
        #expect(tenths.allSatisfy { (1_800...2_200).contains($0) }, "\(tenths)")
    }
}
