/// A text split at each occurrence of a separator, which is compared byte by byte.
struct TextPieces {
    let pieces: [String]

    init(_ text: String, separator: String) {
        let (bytes, mark) = (Array(text.utf8), Array(separator.utf8))
        guard let first = mark.first, mark.count <= bytes.count else {
            pieces = [text]
            return
        }
        var pieces: [String] = []
        var (start, position) = (0, 0)
        while position <= bytes.count - mark.count {
            if bytes[position] == first, bytes[position..<(position + mark.count)].elementsEqual(mark) {
                pieces.append(String(decoding: bytes[start..<position], as: UTF8.self))
                position += mark.count
                start = position
            } else {
                position += 1
            }
        }
        self.pieces = pieces + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    /// Whether the separator does not occur.
    var isWhole: Bool { pieces.count == 1 }

    func joined(by text: String) -> String { pieces.joined(separator: text) }
}
