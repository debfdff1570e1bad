/// A path with variables, such as `/things/{id}/**`. The path of the request is compared as sent, without decoding.
package struct PathTemplate: Sendable {
    private enum Piece: Sendable {
        case text([UInt8])
        /// One or more bytes other than `/`.
        case variable(String)
        /// Any bytes, as few as possible.
        case rest(String)
    }

    private let pieces: [Piece]

    init(_ text: String, _ field: MappingField) throws(MappingError) {
        var pieces: [Piece] = []
        var wildcards = 0
        var rest = Array(text.utf8)[...]
        var literal: [UInt8] = []
        func flushed() -> [Piece] { literal.isEmpty ? [] : [.text(literal)] }
        while let byte = rest.first {
            if byte == UInt8(ascii: "{") {
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                    throw field.error("the variable in '\(text)' is not closed; add '}'.")
                }
                let name = rest[(rest.startIndex + 1)..<end].filter { !".;*".utf8.contains($0) }
                pieces += flushed() + [.variable(String(decoding: name, as: UTF8.self))]
                literal = []
                rest = rest[(end + 1)...]
            } else if rest.starts(with: [UInt8(ascii: "*"), UInt8(ascii: "*")]) {
                pieces += flushed() + [.rest("\(wildcards)")]
                wildcards += 1
                literal = []
                rest = rest.dropFirst(2)
            } else {
                literal.append(byte)
                rest = rest.dropFirst()
            }
        }
        pieces += flushed()
        guard pieces.count <= 100 else { throw field.error("the template has more than 100 pieces; shorten it.") }
        self.pieces = pieces
    }

    package var variables: [String] {
        pieces.compactMap {
            if case .variable(let name) = $0 { name } else { nil }
        }
    }

    /// The values of the variables and wildcards; nil if the path does not match.
    package func values(in path: String) -> [NamedValues]? {
        let bytes = Array(path.utf8)
        // ends[i][j]: the lengths of the prefix that pieces before i can cover. Each cell is computed once.
        var starts: [[Bool]] = Array(
            repeating: Array(repeating: false, count: bytes.count + 1),
            count: pieces.count + 1
        )
        starts[pieces.count][bytes.count] = true
        for index in pieces.indices.reversed() {
            fill(&starts[index], before: starts[index + 1], pieces[index], bytes)
        }
        guard starts[0][0] else { return nil }
        return read(starts, bytes)
    }

    /// Marks the positions from which this piece can lead to a position of the following pieces.
    private func fill(_ row: inout [Bool], before next: [Bool], _ piece: Piece, _ bytes: [UInt8]) {
        switch piece {
        case .text(let text):
            for start in 0...bytes.count where start + text.count <= bytes.count && next[start + text.count] {
                row[start] = bytes[start..<(start + text.count)].elementsEqual(text)
            }
        case .variable:
            var isReachable = false
            for start in (0..<bytes.count).reversed() {
                isReachable = bytes[start] != UInt8(ascii: "/") && (isReachable || next[start + 1])
                row[start] = isReachable
            }
        case .rest:
            var isReachable = false
            for start in (0...bytes.count).reversed() {
                isReachable = isReachable || next[start]
                row[start] = isReachable
            }
        }
    }

    /// Follows the marks: a variable takes as many bytes as possible, a wildcard as few.
    private func read(_ starts: [[Bool]], _ bytes: [UInt8]) -> [NamedValues] {
        var values: [NamedValues] = []
        var position = 0
        for (index, piece) in pieces.enumerated() {
            let next = starts[index + 1]
            let end: Int
            switch piece {
            case .text(let text):
                position += text.count
                continue
            case .variable(let name):
                let limit = bytes[position...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
                end = ((position + 1)...max(limit, position + 1)).last { next[$0] } ?? position
                values.append(NamedValues(name: name, values: [String(decoding: bytes[position..<end], as: UTF8.self)]))
            case .rest(let name):
                end = (position...bytes.count).first { next[$0] } ?? position
                values.append(NamedValues(name: name, values: [String(decoding: bytes[position..<end], as: UTF8.self)]))
            }
            position = end
        }
        return values
    }
}
