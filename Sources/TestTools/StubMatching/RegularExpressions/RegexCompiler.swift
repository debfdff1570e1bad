/// Translates a syntax tree to instructions. The size of the result is proportional to the size of the pattern.
struct RegexCompiler {
    private var program = RegexProgram()

    init(sets: [ScalarSet]) { program.sets = sets }

    mutating func compile(
        _ tree: RegexNode,
        groups: Int,
        names: [String: Int]
    ) -> RegexProgram {
        program.groupCount = groups
        program.groupNames = names
        program.registerCount = (groups + 1) * 2
        translate(tree)
        emit(.match)
        return program
    }

    private mutating func emit(_ instruction: RegexProgram.Instruction) { program.instructions.append(instruction) }

    private var next: RegexProgram.Address { RegexProgram.Address(program.instructions.count) }

    private mutating func newRegister() -> RegexProgram.Register {
        defer { program.registerCount += 1 }
        return RegexProgram.Register(program.registerCount)
    }

    private mutating func newCut() -> RegexProgram.CutRegisters {
        RegexProgram.CutRegisters(height: newRegister(), position: newRegister())
    }

    /// Writes an instruction whose address is not known yet.
    private mutating func placeholder() -> Int {
        emit(.fail)
        return program.instructions.count - 1
    }

    private mutating func translate(_ node: RegexNode) {
        switch node {
        case .empty: break
        case .scalar(let scalar, let folding): emit(scalar, folding)
        case .set(let index): emit(.set(Int32(index)))
        case .anyScalar: emit(.anyScalar)
        case .sequence(let nodes): emitSequence(nodes)
        case .alternatives(let nodes): emitAlternatives(nodes)
        case .capture(let node, let group):
            let start = newRegister()
            emit(.save(start))
            translate(node)
            emit(.capture(group: Int32(group), start: start))
        case .repetition(let node, let minimum, let maximum, let greed):
            emitRepetition(node, minimum, maximum, greed)
        case .atomic(let node): emitAtomic(node)
        case .look(let node, let direction, let negated): emitLook(node, direction, negated)
        case .backReference(let group, let folding): emitBackReference(group, folding)
        case .assertion(let assertion): emit(.assertion(assertion))
        }
    }

    /// A group that does not exist never matches, as in Java.
    private mutating func emitBackReference(_ group: Int, _ folding: LetterFolding) {
        emit(group <= program.groupCount ? .backReference(group: Int32(group), folding) : .fail)
    }

    // MARK: Literals

    private mutating func emit(_ scalar: UInt32, _ folding: LetterFolding) {
        let folded = folding.folded(scalar)
        let hasCase = folding == .unicode ? Self.hasCase(scalar) : scalar.isASCIILetter
        guard folding != .exact, hasCase else {
            if scalar < 0x80 { return emit(.byte(UInt8(scalar))) }
            return emitLiteral([scalar])
        }
        // With (?iu), K also matches the Kelvin sign.
        if folding == .ascii { return emit(.letter(UInt8(folded))) }
        emit(.folded(folded, folding))
    }

    private static func hasCase(_ scalar: UInt32) -> Bool {
        scalar.uppercaseScalar != scalar || scalar.lowercaseScalar != scalar
            || LetterFolding.unicode.folded(scalar) != scalar
    }

    private mutating func emitLiteral(_ scalars: [UInt32]) {
        let start = program.literals.count
        for scalar in scalars { program.literals.append(contentsOf: Self.utf8(scalar)) }
        emit(.literal(start: Int32(start), count: Int32(program.literals.count - start)))
    }

    private static func utf8(_ value: UInt32) -> [UInt8] {
        // The parser yields scalars only; a surrogate, which it refuses, would match nothing.
        guard let scalar = Unicode.Scalar(value) else { return [0xFF] }
        return Array(String(scalar).utf8)
    }

    /// Joins adjacent scalars into literals.
    private mutating func emitSequence(_ nodes: [RegexNode]) {
        var literal: [UInt32] = []
        for node in nodes {
            if case .scalar(let scalar, .exact) = node {
                literal.append(scalar)
                continue
            }
            flush(&literal)
            translate(node)
        }
        flush(&literal)
    }

    private mutating func flush(_ literal: inout [UInt32]) {
        switch literal.count {
        case 0: return
        case 1: emit(literal[0], .exact)
        default: emitLiteral(literal)
        }
        literal = []
    }

    // MARK: Branches and loops

    private mutating func emitAlternatives(_ nodes: [RegexNode]) {
        var exits: [Int] = []
        for node in nodes.dropLast() {
            let split = placeholder()
            translate(node)
            exits.append(placeholder())
            program.instructions[split] = .split(next)
        }
        if let last = nodes.last { translate(last) }
        for exit in exits { program.instructions[exit] = .jump(next) }
    }

    private mutating func emitRepetition(
        _ node: RegexNode,
        _ minimum: Int,
        _ maximum: Int,
        _ greed: RegexNode.Greed
    ) {
        if let set = scalarSet(of: node) {
            return emit(
                .repeatSet(set, minimum: Int32(clamping: minimum), maximum: Int32(clamping: maximum), greed)
            )
        }
        if greed == .possessive { return emitAtomic(.repetition(node, minimum: minimum, maximum: maximum, .greedy)) }
        let isCounted = minimum > 0 || maximum != .max
        let registers = RegexProgram.LoopRegisters(count: isCounted ? newRegister() : nil, start: newRegister())
        emit(.beginLoop(registers))
        let loop = placeholder()
        emit(.enterLoop(registers))
        translate(node)
        emit(.jump(RegexProgram.Address(loop)))
        program.instructions[loop] = .loop(
            registers,
            minimum: Int32(clamping: minimum),
            maximum: Int32(clamping: maximum),
            lazy: greed == .lazy,
            exit: next
        )
    }

    /// The set of scalars that the node matches one of; nil for other nodes. -1 is any scalar.
    private mutating func scalarSet(of node: RegexNode) -> Int32? {
        switch node {
        case .anyScalar: return -1
        case .set(let index): return Int32(index)
        case .scalar(let scalar, let folding):
            program.sets.append(ScalarSet([.ranges([scalar...scalar], folding)]))
            return Int32(program.sets.count - 1)
        default: return nil
        }
    }

    // MARK: Cuts

    private mutating func emitAtomic(_ node: RegexNode) {
        let cut = newCut()
        emit(.beginCut(cut))
        translate(node)
        emit(.endCut(cut, restoresPosition: false))
    }

    private mutating func emitLook(
        _ node: RegexNode,
        _ direction: RegexNode.Direction,
        _ negated: Bool
    ) {
        let cut = newCut()
        emit(.beginCut(cut))
        let split = negated ? placeholder() : nil
        if direction == .behind {
            let lengths = node.lengths
            emit(
                .stepBack(
                    minimum: Int32(clamping: lengths.minimum),
                    maximum: Int32(clamping: lengths.maximum ?? lengths.minimum)
                )
            )
        }
        translate(node)
        if direction == .behind { emit(.checkPosition(cut)) }
        if let split {
            emit(.failCut(cut))
            program.instructions[split] = .split(next)
        } else {
            emit(.endCut(cut, restoresPosition: true))
        }
    }
}
