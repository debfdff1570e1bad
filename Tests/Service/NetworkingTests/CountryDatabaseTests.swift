import Foundation
import Networking
import Testing

struct CountryDatabaseTests {
    /// A country in MaxMind's format.
    private static func maxMind(_ code: String) -> CountryFileWriter.Value {
        .map([
            ("continent", .map([("code", .text("EU"))])),
            ("country", .map([("geoname_id", .number(2_635_167, type: 6)), ("iso_code", .text(code))])),
            ("registered_country", .map([("iso_code", .text("US"))])),
        ])
    }

    private static func sample(ipVersion: Int = 6) -> CountryFileWriter {
        var writer = CountryFileWriter(ipVersion: ipVersion)
        writer.add("192.0.2.0/24", maxMind("GB"))
        writer.add("198.51.100.128/25", maxMind("fr"))
        writer.add("203.0.113.0/24", .map([("country_code", .text("DE")), ("country", .text("Germany"))]))
        writer.add("203.0.112.0/24", .map([("country", .text("JP"))]))
        writer.add("203.0.111.0/24", .map([("registered_country", .map([("iso_code", .text("US"))]))]))
        writer.add("203.0.110.0/24", maxMind("ZZ"))
        writer.add("203.0.109.0/24", .map([("country", .map([("iso_code", .text("England"))]))]))
        if ipVersion == 6 { writer.add("2001:db8::/32", maxMind("NO")) }
        return writer
    }

    private func withFile<Value>(_ bytes: [UInt8], _ body: (String) throws -> Value) throws -> Value {
        let path = FileManager.default.temporaryDirectory.appending(path: "geo-\(UUID().uuidString).mmdb").path
        try Data(bytes).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    @Test(arguments: [
        ("192.0.2.1", "GB" as String?), ("192.0.2.255", "GB"), ("::ffff:192.0.2.1", "GB"), ("198.51.100.200", "FR"),
        ("203.0.113.9", "DE"), ("203.0.112.9", "JP"), ("2001:db8:1::5", "NO"), ("2001:db8:ffff:ffff::", "NO"),
        ("198.51.100.1", nil), ("203.0.111.1", nil), ("203.0.110.1", nil), ("203.0.109.1", nil), ("127.0.0.1", nil),
        ("2001:db9::1", nil), ("::1", nil), ("0.0.0.0", nil), ("255.255.255.255", nil),
    ])
    func addressHasTheCountryOfItsNetwork(address: String, country: String?) throws {
        try withFile(Self.sample().file) { path in
            let address = try #require(NetworkAddress(address))
            #expect(try CountryDatabase(path).country(of: address) == country)
        }
    }

    @Test func ipv4FileHasNoIPv6Addresses() throws {
        try withFile(Self.sample(ipVersion: 4).file) { path in
            let database = try CountryDatabase(path)
            #expect(database.country(of: try #require(NetworkAddress("192.0.2.1"))) == "GB")
            #expect(database.country(of: try #require(NetworkAddress("2001:db8::1"))) == nil)
        }
    }

    @Test func fileMayBeReplacedWhileItIsOpen() throws {
        try withFile(Self.sample().file) { path in
            let database = try CountryDatabase(path)
            try FileManager.default.removeItem(atPath: path)
            try Data("newer".utf8).write(to: URL(filePath: path))
            #expect(database.country(of: try #require(NetworkAddress("192.0.2.1"))) == "GB")
        }
    }

    @Test func manyMayAskAtOnce() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "geo-\(UUID().uuidString).mmdb")
        try Data(Self.sample().file).write(to: file)
        let database = try CountryDatabase(file.path)
        try FileManager.default.removeItem(at: file)
        let address = try #require(NetworkAddress("2001:db8::1"))
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<100 { group.addTask { database.country(of: address) } }
            for await country in group { #expect(country == "NO") }
        }
    }

    // MARK: Invalid files

    private func failure(_ path: String) -> String? {
        do throws(CountryDatabase.Failure) {
            _ = try CountryDatabase(path)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func missingFileIsNamed() throws {
        #expect(
            failure("/nonexistent/geo.mmdb")?.hasPrefix("/nonexistent/geo.mmdb cannot be read (No such file") == true
        )
        #expect(failure("/tmp")?.hasPrefix("/tmp cannot be read (") == true)
    }

    @Test(arguments: ["", "no database", String(repeating: "x", count: 100_000)])
    func otherFileIsRefused(text: String) throws {
        try withFile(Array(text.utf8)) { path in
            #expect(failure(path)?.hasPrefix(path) == true)
        }
    }

    @Test func fileWithoutCountriesIsRefused() throws {
        var writer = CountryFileWriter(kind: "Test-ASN")
        writer.add("192.0.2.0/24", .map([("autonomous_system_number", .number(64_496, type: 6))]))
        try withFile(writer.file) { path in
            #expect(failure(path)?.contains("contains no countries (it is a 'Test-ASN' database)") == true)
        }
        try withFile(CountryFileWriter().file) { path in
            #expect(failure(path)?.contains("contains no countries") == true)
        }
    }

    /// With any byte changed, the file is refused or lookups still return.
    @Test func damagedFileNeverTraps() throws {
        let whole = Self.sample().file
        let addresses = ["192.0.2.1", "2001:db8::1", "203.0.113.9"].compactMap { NetworkAddress($0) }
        var generator = Sequence(state: 1)
        for round in 0..<400 {
            var bytes = whole
            if round % 4 == 0 {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            } else {
                for _ in 0...(round % 8) {
                    bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            }
            try withFile(bytes) { path in
                guard let database = try? CountryDatabase(path) else { return }
                for address in addresses { _ = database.country(of: address) }
            }
        }
    }
}

/// SplitMix64: the same numbers in every run.
private struct Sequence: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
