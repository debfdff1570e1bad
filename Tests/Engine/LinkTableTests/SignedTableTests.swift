import LinkRouting
import LinkTable
import Testing

@Suite struct SignedTableTests {
    private func keys() throws -> [TablePublicKey] { [try Sample.key().publicKey] }

    @Test func verifiedTableResolvesLinks() throws {
        let table = try SignedTable.verify(
            try Sample.signed(),
            keys: try keys(),
            expecting: Sample.scope,
            at: Sample.issuedAt
        )
        #expect(table.claims == Sample.claims())
        let answer = table.router.resolve("https://links.acme.com/product/42", in: LinkContext(app: id("ios")))
        #expect(answer.action == .openApp)
        #expect(answer.destination?.screen == "product")
    }

    /// Codes and their targets are on the server.
    @Test func appAsksTheServerAboutRoutesThatFollow() throws {
        let route = #"{"id":"go","path":"/s/{code}","caseSensitive":false,"follow":"shortLinks"}"#
        let content = try TableContent(
            Sample.claims(),
            table: json(#"{"formatVersion":1,"routes":[\#(route)]}"#),
            settings: Sample.settings
        )
        let stub = #"{"id":"server-1","path":"/s/{code}","caseSensitive":false,"requires":["server"]}"#
        #expect(String(decoding: content.payload, as: UTF8.self).contains(#""routes":[\#(stub)]"#))
        let table = try SignedTable.verify(
            try SignedTable.sign(content, with: Sample.key()),
            keys: try keys(),
            expecting: Sample.scope,
            at: Sample.issuedAt
        )
        let answer = table.router.resolve("https://links.acme.com/S/spring", in: LinkContext(app: id("ios")))
        #expect(answer.outcome == .undecided)
        #expect(answer.followed == nil)
    }

    /// Only the server shows them. An older engine could not read a route with one.
    @Test func appGetsNoPreviews() throws {
        let preview = #""preview":{"title":"t"}"#
        let routes = #"[{"id":"a","path":"/a",\#(preview)}]"#
        let content = try TableContent(
            Sample.claims(),
            table: json(#"{"formatVersion":1,"defaults":{"plusIsSpace":true,\#(preview)},"routes":\#(routes)}"#),
            settings: Sample.settings
        )
        let text = String(decoding: content.payload, as: UTF8.self)
        #expect(text.contains("plusIsSpace") && !text.contains("preview"))
    }

    @Test func changeOfAnyBitIsRejected() throws {
        let bytes = try Sample.signed()
        let keys = try keys()
        var accepted: [Int] = []
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            if (try? SignedTable.verify(changed, keys: keys, expecting: Sample.scope)) != nil { accepted.append(bit) }
        }
        #expect(accepted == [])
    }

    @Test func everyPrefixAndEveryAddedByteIsRejected() throws {
        let bytes = try Sample.signed()
        let keys = try keys()
        for count in bytes.indices {
            #expect(throws: TableRejection.self) {
                try SignedTable.verify(Array(bytes[..<count]), keys: keys, expecting: Sample.scope)
            }
        }
        for byte in [UInt8(ascii: "\n"), UInt8(ascii: " "), 0] {
            #expect(throws: TableRejection.self) {
                try SignedTable.verify(bytes + [byte], keys: keys, expecting: Sample.scope)
            }
        }
    }

    /// For a public key of small order, everyone can make signatures.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ])
    func keyOfSmallOrderIsRejected(_ hex: String) {
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
        #expect(bytes.count == 32 && TablePublicKey(bytes: bytes) == nil)
        var other = bytes
        other[7] ^= 0x10
        #expect(TablePublicKey(bytes: other) != nil)
    }
}
