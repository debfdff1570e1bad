/// Computes the sizes of the languages of paths, in nodes of a ``NodeGraph``, without building them. A variable with many
/// values makes a language much larger than its pattern.
struct PathSizes {
    private var sizesOfVariables: [Variable: Int] = [:]

    private struct Variable: Hashable {
        let name: String
        let comparesEncoded: Bool
    }

    /// Returns a number of nodes that the language of the normalised path has at least.
    mutating func size(of path: Glob, _ reading: Glob.Reading) -> Int {
        path.pieces.reduce(0) { $0 + size(of: $1, reading) }
    }

    private mutating func size(of piece: Glob.Piece, _ reading: Glob.Reading) -> Int {
        switch piece {
        // An encoded byte has at least four nodes: its percent sign, two digits, and the choice of its spellings.
        case .byte, .character: return reading.comparesEncoded ? 1 : 4
        case .one: return reading.comparesEncoded ? 1 : Self.decodedOne
        case .many: return reading.comparesEncoded ? 2 : Self.decodedMany
        case .never: return 1
        case .values(let values, let name):
            let variable = Variable(name: name, comparesEncoded: reading.comparesEncoded)
            if let known = sizesOfVariables[variable] { return known }
            var size = 1
            for value in values { for piece in value { size += self.size(of: piece, reading) } }
            sizesOfVariables[variable] = size
            return size
        }
    }

    private static let decodedOne = decodedSize(of: .one)
    private static let decodedMany = decodedSize(of: .many)

    private static func decodedSize(of piece: Glob.Piece) -> Int {
        Glob(pieces: [piece]).language(Glob.Reading(comparesEncoded: false)).size
    }
}

extension Language {
    /// The number of nodes that the language has in a graph.
    fileprivate var size: Int {
        switch self {
        case .empty: 0
        case .byte: 1
        case .sequence(let parts): parts.reduce(0) { $0 + $1.size }
        case .either(let parts): parts.reduce(1) { $0 + $1.size }
        case .repeated(let part): 1 + part.size
        }
    }
}
