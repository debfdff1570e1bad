import Testing

@testable import LinkRouting

/// The table of literals answers as a dictionary does: short and long texts, of one parent and of many, in either case.
struct LiteralTableTests {
    private struct Key: Hashable {
        let parent: Int32
        let text: [UInt8]
        let letterCase: Route.LetterCase
    }

    @Test(arguments: 0..<4) func tableAgreesWithADictionary(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 900)
        var table = LiteralTable()
        var expected: [Key: Int32] = [:]
        for number in 0..<3_000 {
            let key = Self.key(&random)
            let text = key.text[...]
            let child = table.child(of: key.parent, text.span, key.letterCase, orInsert: Int32(number))
            let known = expected[Self.folded(key)]
            #expect(child == known ?? Int32(number))
            expected[Self.folded(key)] = child
        }
        for isCompact in [false, true] {
            if isCompact { table.compact() }
            for _ in 0..<3_000 {
                let key = Self.key(&random)
                let text = key.text[...]
                let child = table.child(of: key.parent, text.span, key.letterCase)
                #expect(child == expected[Self.folded(key)])
            }
            #expect(table.children.map(\.child).sorted() == expected.values.sorted())
        }
    }

    @Test func emptyTableHasNoChild() {
        var table = LiteralTable()
        table.compact()
        let text: ArraySlice<UInt8> = [0x61]
        let child = table.child(of: 0, text.span, .sensitive)
        #expect(child == nil)
    }

    /// Of few letters and with a common beginning, so that many texts differ only behind the sixteenth byte.
    private static func key(_ random: inout SeededGenerator) -> Key {
        let beginning = random.chance(50) ? Array("beginningBeginni".utf8) : []
        let end = (0..<random.below(6)).map { _ in random.pick(Array("abAB".utf8)) }
        return Key(
            parent: Int32(random.below(3)),
            text: beginning + end,
            letterCase: random.chance(50) ? .ignored : .sensitive
        )
    }

    private static func folded(_ key: Key) -> Key {
        guard key.letterCase == .ignored else { return key }
        return Key(parent: key.parent, text: key.text.map(LinkRouting.folded), letterCase: .ignored)
    }
}
