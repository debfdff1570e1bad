import LinkRouting
import LinkTable
import TestSupport
import Testing

/// Tables that are signed correctly and cannot be read. Each is refused with its reason, in bounded time.
@Suite struct HostileTableTests {
    /// Signs bytes that the signing functions would refuse.
    private func signed(_ payload: [UInt8]) throws -> [UInt8] {
        let valid = try Sample.signed()
        let header = Array(valid.prefix { $0 != UInt8(ascii: ".") })
        let signature = try Sample.key().signature(of: header + [UInt8(ascii: ".")] + payload)
        return header + Array("..\(Base64URL.text(of: signature))\n".utf8) + payload
    }

    private func rejection(
        of bytes: [UInt8],
        checking: AppTable.Checking = .everyRoute
    ) throws -> TableRejection? {
        let start = ContinuousClock.now
        defer { #expect(ContinuousClock.now - start < HangLimit.duration) }
        do throws(TableRejection) {
            _ = try SignedTable.verify(bytes, keys: [try key()], expecting: Sample.scope, checking: checking)
            return nil
        } catch {
            return error
        }
    }

    private func key() throws(TableRejection) -> TablePublicKey {
        guard let key = try? Sample.key().publicKey else { throw .badSignature }
        return key
    }

    /// The payload of the sample with another text in it.
    private static func payload(replacing text: String, with other: String) throws -> [UInt8] {
        let payload = String(decoding: try Sample.content().payload, as: UTF8.self)
        let changed = payload.replacing(text, with: other)
        try #require(changed != payload, "the payload contains \(text)")
        return Array(changed.utf8)
    }

    private static let payloads: [(name: String, reason: String, bytes: @Sendable () throws -> [UInt8])] = [
        ("empty", "the text is empty", { [] }),
        ("a list", "is a list; write an object", { Array("[1]".utf8) }),
        ("deep lists", "nest deeper than 64", { Array(repeating: UInt8(ascii: "["), count: 4 << 20) }),
        (
            "a deep unknown member", "nest deeper than 64",
            { try payload(replacing: #""tenant""#, with: #""x":\#(String(repeating: "[", count: 100_000)),"tenant""#) }
        ),
        (
            "deep conditions", "",
            {
                let depth = 60
                let condition =
                    String(repeating: #"{"not":"#, count: depth) + #"{"platform":"ios"}"#
                    + String(repeating: "}", count: depth)
                return try payload(replacing: #""id":"product","#, with: #""id":"product","when":\#(condition),"#)
            }
        ),
        (
            "too many values", "more than 1000000 values",
            {
                let values = String(repeating: "1,", count: 1_100_000)
                return try payload(replacing: #""tenant""#, with: #""x":[\#(values)1],"tenant""#)
            }
        ),
        (
            "a number of a megabyte", "is not a whole number",
            {
                let digits = String(repeating: "9", count: 1 << 20)
                return try payload(replacing: #""revision":7"#, with: #""revision":\#(digits)"#)
            }
        ),
        (
            "a huge exponent", "is not a whole number",
            { try payload(replacing: #""revision":7"#, with: #""revision":7e999999999"#) }
        ),
        (
            "a negative revision", "is not a whole number",
            { try payload(replacing: #""revision":7"#, with: #""revision":-7"#) }
        ),
        (
            "a format beyond Int64", "'formatVersion' is 1e30; write 1",
            { try payload(replacing: #""formatVersion":1"#, with: #""formatVersion":1e30"#) }
        ),
        (
            "a format with a fraction", "'formatVersion' is 1.0; write 1",
            { try payload(replacing: #""formatVersion":1"#, with: #""formatVersion":1.0"#) }
        ),
        (
            "a format that is no number", "'formatVersion' is true; write 1",
            { try payload(replacing: #""formatVersion":1"#, with: #""formatVersion":true"#) }
        ),
        (
            "a time beyond all years", "is not a time",
            { try payload(replacing: #""issuedAt":"2027"#, with: #""issuedAt":"99999999999"#) }
        ),
        (
            "a member twice", "duplicate key 'tenant'",
            { try payload(replacing: #""tenant""#, with: #""tenant":"acme","tenant""#) }
        ),
        ("no table", "'table' is missing", { try payload(replacing: #""table":"#, with: #""tables":"#) }),
        (
            "a format before the first", "'formatVersion' is 0; write 1",
            { try payload(replacing: #""formatVersion":1"#, with: #""formatVersion":0"#) }
        ),
        (
            "a requirement that is no list", "'requires' is not a list of names",
            { try payload(replacing: #""requires":[]"#, with: #""requires":"x""#) }
        ),
        (
            "a requirement that is no name", "'requires' is not a list of names",
            { try payload(replacing: #""requires":[]"#, with: #""requires":[1]"#) }
        ),
        (
            "an end before the beginning", "'expiresAt' must be after 'issuedAt'",
            { try payload(replacing: #""expiresAt":"2"#, with: #""expiresAt":"1"#) }
        ),
        (
            "a version after the table", "'formatVersion' is missing; it comes before 'table'",
            {
                let text = String(decoding: try payload(replacing: #""formatVersion":1,"#, with: ""), as: UTF8.self)
                return Array((text.dropLast() + #","formatVersion":1}"#).utf8)
            }
        ),
        (
            "routes that are no list", "write a list",
            { try payload(replacing: #""routes":["#, with: #""routes":7,"more":["#) }
        ),
        (
            "defaults after routes", "must be the last member",
            {
                let text = String(decoding: try payload(replacing: #""routes":"#, with: #""more":"#), as: UTF8.self)
                return Array(text.replacing(#""defaults":"#, with: #""routes":[],"defaults":"#).utf8)
            }
        ),
        (
            "an id twice", "duplicate id 'product'",
            { try payload(replacing: #""id":"server-1""#, with: #""id":"product""#) }
        ),
        (
            "bytes that are not UTF-8", "not UTF-8",
            { try payload(replacing: "{id:int}", with: "x").map { $0 == UInt8(ascii: "x") ? 0xFF : $0 } }
        ),
        ("the end is missing", "the text ends", { Array(try Sample.content().payload.dropLast(2)) }),
        ("something after the end", "ends before this", { try Sample.content().payload + Array("{}".utf8) }),
    ]

    /// They are refused regardless of the routes that are decoded.
    @Test(arguments: payloads.map(\.name), [AppTable.Checking.everyRoute, .noRoute])
    func tableIsRefusedWithItsReason(_ name: String, _ checking: AppTable.Checking) throws {
        let payload = try #require(Self.payloads.first { $0.name == name })
        let rejection = try rejection(of: signed(try payload.bytes()), checking: checking)
        if payload.reason.isEmpty {
            // Within the limits, so it is read; the point is that it ends.
            #expect(rejection == nil || rejection?.code == "unreadable")
        } else {
            #expect(rejection?.code == "unreadable", "\(rejection.map { "\($0)" } ?? "accepted")")
            let reason = rejection.map { "\($0)" } ?? ""
            #expect(reason.contains(payload.reason), "\(reason)")
            #expect(reason.utf8.count < 1_000, "the reason is short, whatever the table says")
        }
    }

    @Test func routeThatCannotBeReadIsFoundByTheCheckOrByItsLinks() throws {
        let table = try signed(Self.payload(replacing: #""open":"#, with: #""opens":"#))
        let rejection = try rejection(of: table)
        #expect(rejection?.code == "unreadable")
        #expect(rejection?.description.contains("table.routes[0].opens: unknown key 'opens'") == true)
        let keys = [try key()]
        let unchecked = try SignedTable.verify(table, keys: keys, expecting: Sample.scope, checking: .noRoute)
        let product: RouteID = id("product")
        #expect(unchecked.problem(of: product) == nil)
        let answer = unchecked.router.resolve("acme:/product/7", in: LinkContext(app: id("ios")))
        #expect(answer.outcome == .undecided)
        #expect(answer.route == product)
        #expect(unchecked.problem(of: product)?.contains("unknown key 'opens'") == true)
        #expect(unchecked.router.resolve("acme:/else", in: LinkContext(app: id("ios"))).outcome == .fallback)
    }

    @Test func largeFilesAreRefusedByTheirSize() throws {
        let start = try Sample.signed()
        let large = start + Array(repeating: UInt8(ascii: " "), count: 50 << 20)
        #expect(try rejection(of: large) == .tooLarge(bytes: large.count))
        let atTheLimit = start + Array(repeating: UInt8(ascii: " "), count: SignedTable.maximumBytes - start.count)
        #expect(try rejection(of: atTheLimit)?.code == "truncated")
        let oneLine = Array(repeating: UInt8(ascii: "A"), count: SignedTable.maximumBytes)
        #expect(try rejection(of: oneLine)?.code == "malformed")
    }

    /// A first line that is no header of this format, before any signature is verified.
    @Test(arguments: [
        (#"{"alg":"none","b64":false,"crit":["b64"],"kid":"KID","typ":"fingerpost-table"}"#, "other_algorithm"),
        (#"{"alg":"HS256","b64":false,"crit":["b64"],"kid":"KID","typ":"fingerpost-table"}"#, "other_algorithm"),
        (#"{"b64":false,"crit":["b64"],"kid":"KID","typ":"fingerpost-table"}"#, "other_algorithm"),
        (#"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"other","typ":"fingerpost-table"}"#, "unknown_key"),
        (#"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":7,"typ":"fingerpost-table"}"#, "malformed"),
        (#"{"alg":"EdDSA","b64":true,"crit":["b64"],"kid":"KID","typ":"fingerpost-table"}"#, "malformed"),
        (#"{"alg":"EdDSA","crit":[],"kid":"KID"}"#, "malformed"),
        (#"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"KID","typ":"fingerpost-table","jwk":{}}"#, "malformed"),
        ("[[[[[[[[", "malformed"),
        ("", "malformed"),
    ]) func otherHeadersAreRefused(_ header: String, _ code: String) throws {
        let valid = try Sample.signed()
        let end = try #require(valid.firstIndex(of: UInt8(ascii: "\n")))
        let text = header.replacing("KID", with: try Sample.key().publicKey.id)
        let encoded = Array(Base64URL.text(of: Array(text.utf8)).utf8)
        let signature = try Sample.key().signature(of: encoded + [UInt8(ascii: ".")] + valid[(end + 1)...])
        let line = encoded + Array("..\(Base64URL.text(of: signature))".utf8)
        #expect(try rejection(of: line + valid[end...])?.code == code)
    }
}
