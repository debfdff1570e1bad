/// A URL component, prepared once for the comparison with many patterns.
///
/// A set of positions in it is a bit set: bit *n* is the position before byte *n*, and the last bit is the end.
struct PatternText {
    let bytes: [UInt8]
    let foldsCase: Bool
    /// The number of words in a set of positions.
    let wordCount: Int
    /// For each byte value, its row in `masks` plus one; 0 if the text does not contain it.
    private let rows: [UInt16]
    /// The positions of each byte value that the text contains. A row is the set of positions for one value.
    private let masks: [UInt64]
    /// The positions inside a character; empty if the text is ASCII.
    let continuations: [UInt64]

    /// Prepares `bytes`, which are UTF-8. Folding ignores the case of ASCII letters.
    init(_ bytes: [UInt8], foldsCase: Bool) {
        let bytes = foldsCase ? bytes.map(\.lowercasedASCII) : bytes
        let wordCount = bytes.count / UInt64.bitWidth + 1
        var rows = [UInt16](repeating: 0, count: 256)
        var masks: [UInt64] = []
        var continuations = [UInt64](repeating: 0, count: wordCount)
        var isASCII = true
        for (position, byte) in bytes.enumerated() {
            if rows[Int(byte)] == 0 {
                masks.append(contentsOf: repeatElement(0, count: wordCount))
                rows[Int(byte)] = UInt16(masks.count / wordCount)
            }
            let word = position / UInt64.bitWidth
            let bit = UInt64(1) << UInt64(position % UInt64.bitWidth)
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

    /// The set that contains only the first position.
    var start: [UInt64] {
        var positions = [UInt64](repeating: 0, count: wordCount)
        positions[0] = 1
        return positions
    }

    /// Returns whether `positions` contains the end.
    func endIsAmong(_ positions: [UInt64]) -> Bool {
        positions[bytes.count / UInt64.bitWidth] & (1 << UInt64(bytes.count % UInt64.bitWidth)) != 0
    }

    /// Returns the positions of `byte`; nil if the text does not contain it.
    func positions(of byte: UInt8) -> ArraySlice<UInt64>? {
        let row = Int(rows[Int(byte)])
        return row == 0 ? nil : masks[((row - 1) * wordCount)..<(row * wordCount)]
    }

    /// Returns the byte values of the text that are in `set`.
    func contents(in set: ByteSet) -> [UInt8] {
        rows.indices.lazy.filter { rows[$0] != 0 }.map { UInt8($0) }.filter(set.contains)
    }
}
