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
}
