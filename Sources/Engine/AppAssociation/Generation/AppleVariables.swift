/// The substitution variables of a generated file: lists of values that several rules may share.
struct AppleVariables {
    private(set) var all: [(name: String, values: [String])] = []
    private var names: [Glob.Piece: String] = [:]
    private var values: [String: [String]] = [:]
    /// The last number that was appended to a name. Thousands of routes may give lists the same name.
    private var numbers: [String: Int] = [:]

    private static let builtIn: Set = ["alpha", "upper", "lower", "alnum", "digit", "xdigit", "lang", "region"]

    init(of rules: [AssociationRule]) {
        for rule in rules {
            for glob in [rule.path] + rule.query.map(\.value) { add(from: glob) }
        }
    }

    /// Adds the value lists of a pattern, named after the parameters or query items that have them.
    private mutating func add(from glob: Glob) {
        for piece in glob.pieces {
            guard case .values(let values, let wanted) = piece, names[piece] == nil else { continue }
            names[piece] = add(values, called: wanted)
        }
    }

    private mutating func add(_ values: [[Glob.Piece]], called wanted: String) -> String {
        let plain = wanted.filter { $0 != "$" && $0 != "(" && $0 != ")" }
        let texts = values.map { text(of: Glob(pieces: $0)) }
        var name = plain.isEmpty ? "value" : plain
        while Self.builtIn.contains(name) || self.values[name].map({ $0 != texts }) == true {
            let number = numbers[plain, default: 1] + 1
            numbers[plain] = number
            name = "\(plain)\(number)"
        }
        if self.values.updateValue(texts, forKey: name) == nil { all.append((name, texts)) }
        return name
    }

    /// Returns the pattern as the file writes it. Every value list in it has been added before.
    func text(of glob: Glob) -> String {
        var bytes: [UInt8] = []
        for piece in glob.pieces {
            switch piece {
            case .byte(let byte): bytes.append(byte)
            case .one: bytes.append(UInt8(ascii: "?"))
            case .many: bytes.append(UInt8(ascii: "*"))
            case .values: bytes += "$(\(names[piece] ?? ""))".utf8
            case .character, .never: preconditionFailure("the generator writes no classes and no unknown variables")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
