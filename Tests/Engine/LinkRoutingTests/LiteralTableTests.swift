import TestSupport
import Testing

@testable import LinkRouting

/// The literal table gives the same answers as a dictionary: short and long texts, with one parent and with many, in
/// either case.
struct LiteralTableTests {
    private struct Key: Hashable {
        let parent: Int32
        let text: [UInt8]
        let letterCase: LetterCase
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

    /// Texts are compared in words. The ends of words and case folding must behave as for bytes.
    @Test(arguments: [LetterCase.sensitive, .ignored])
    func textsOfEveryLengthDifferByEachByte(_ letterCase: LetterCase) {
        let bytes: [UInt8] = [0, 0x40, 0x41, 0x5A, 0x5B, 0x60, 0x61, 0x7A, 0x7B, 0x7F, 0x80, 0xC1, 0xDA, 0xFF]
        for length in 1...20 {
            for place in 0..<length {
                var table = LiteralTable()
                var expected: [[UInt8]: Int32] = [:]
                for (number, byte) in bytes.enumerated() {
                    var text = Array(repeating: UInt8(ascii: "m"), count: length)
                    text[place] = byte
                    let key = letterCase == .ignored ? text.map(LinkRouting.folded) : text
                    let slice = text[...]
                    let child = table.child(of: 0, slice.span, letterCase, orInsert: Int32(number))
                    #expect(child == expected[key] ?? Int32(number), "byte \(byte) at \(place) of \(length)")
                    expected[key] = child
                    let shorter = slice.dropLast()
                    let none = table.child(of: 0, shorter.span, letterCase)
                    #expect(none == nil)
                }
            }
        }
    }

    @Test func emptyTableHasNoChild() {
        var table = LiteralTable()
        table.compact()
        let text: ArraySlice<UInt8> = [0x61]
        let child = table.child(of: 0, text.span, .sensitive)
        #expect(child == nil)
    }

    /// A key of few letters with a common prefix, so that many texts differ only after the sixteenth byte.
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
