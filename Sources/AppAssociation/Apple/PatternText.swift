/// A part of a URL, prepared once for being compared with many patterns.
///
/// A set of places in it is a row of bits: bit *n* stands for the place in front of byte *n*, the last one for the end.
struct PatternText {
    let bytes: [UInt8]
    let foldsCase: Bool
    /// Of a set of places.
    let wordCount: Int
    /// For each byte value its row in `masks`, plus one; 0 where the text does not contain it.
    private let rows: [UInt16]
    /// Where each byte stands, a set of places for each byte value that the text contains.
    private let masks: [UInt64]
    /// Places inside a character; empty for a text that is all ASCII.
    let continuations: [UInt64]

    /// `bytes` are UTF-8. Folding makes ASCII letters equal to their other case.
    init(_ bytes: [UInt8], foldsCase: Bool) {
        let bytes = foldsCase ? bytes.map(\.lowercasedASCII) : bytes
        let wordCount = bytes.count / UInt64.bitWidth + 1
        var rows = [UInt16](repeating: 0, count: 256)
        var masks: [UInt64] = []
        var continuations = [UInt64](repeating: 0, count: wordCount)
        var isASCII = true
        for (place, byte) in bytes.enumerated() {
            if rows[Int(byte)] == 0 {
                masks.append(contentsOf: repeatElement(0, count: wordCount))
                rows[Int(byte)] = UInt16(masks.count / wordCount)
            }
            let word = place / UInt64.bitWidth
            let bit = UInt64(1) << UInt64(place % UInt64.bitWidth)
            masks[(Int(rows[Int(byte)]) - 1) * wordCount + word] |= bit
            if byte & 0xC0 == 0x80 {
                continuations[word] |= bit
                isASCII = false
            }
        }
        self.bytes = bytes
        self.foldsCase = foldsCase
        self.wordCount = wordCount
        self.rows = rows
        self.masks = masks
        self.continuations = isASCII ? [] : continuations
    }

    var start: [UInt64] {
        var places = [UInt64](repeating: 0, count: wordCount)
        places[0] = 1
        return places
    }

    /// Whether the end is among `places`.
    func endIsAmong(_ places: [UInt64]) -> Bool {
        places[bytes.count / UInt64.bitWidth] & (1 << UInt64(bytes.count % UInt64.bitWidth)) != 0
    }

    /// Where `byte` stands; nil where it does not.
    func places(of byte: UInt8) -> ArraySlice<UInt64>? {
        let row = Int(rows[Int(byte)])
        return row == 0 ? nil : masks[((row - 1) * wordCount)..<(row * wordCount)]
    }

    /// The byte values of the text that are in `set`.
    func contents(in set: ByteSet) -> [UInt8] {
        rows.indices.lazy.filter { rows[$0] != 0 }.map { UInt8($0) }.filter(set.contains)
    }
}
