import Foundation
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// Starts of the service on these days renew the keys of a ring.
struct SealingKeyTests {
    struct Starts: Sendable, CustomTestStringConvertible {
        let ring: SealingKeyRing
        /// The days of the starts. The key of a start has its number.
        let days: [Int64]
        /// The keys after the last start, newest first.
        let keys: [UInt8]

        var testDescription: String { "\(ring) \(days)" }
    }

    @Test(arguments: [
        Starts(ring: .install, days: [0], keys: [0]),
        Starts(ring: .install, days: [0, 7], keys: [0]),
        Starts(ring: .install, days: [0, 8], keys: [1, 0]),
        // The first key has sealed until the day of the second start.
        Starts(ring: .install, days: [0, 400], keys: [1, 0]),
        Starts(ring: .install, days: [0, 400, 430], keys: [2, 1, 0]),
        Starts(ring: .install, days: [0, 400, 441], keys: [2, 1]),
        Starts(ring: .install, days: (0..<20).map { $0 * 8 }, keys: [19, 18, 17, 16, 15, 14, 13]),
        Starts(ring: .continuation, days: [0, 1, 2], keys: [2, 0]),
        Starts(ring: .continuation, days: [0, 2, 4, 6], keys: [3, 2]),
        // The clock was wrong before.
        Starts(ring: .install, days: [1_000, 0], keys: [0]),
    ])
    func keysAreKeptAsLongAsTheirTokensAreValid(one: Starts) async throws {
        try await withTemporaryDirectory { directory in
            let database = try CatalogDatabase(directory + "/catalog.db")
            var keys: [Data] = []
            for (number, day) in one.days.enumerated() {
                keys = try await database.sealingKeys(
                    of: one.ring,
                    random: Data(repeating: UInt8(number), count: SealingKeys.keyBytes),
                    at: Timestamp(milliseconds: day * 86_400_000)
                )
            }
            #expect(keys.compactMap(\.first) == one.keys)
            let other = try await database.sealingKeys(
                of: one.ring == .install ? .continuation : .install,
                random: Data(repeating: 99, count: SealingKeys.keyBytes),
                at: Timestamp(milliseconds: 0)
            )
            #expect(other.compactMap(\.first) == [99], "the rings are separate")
            try database.close()
        }
    }
}
