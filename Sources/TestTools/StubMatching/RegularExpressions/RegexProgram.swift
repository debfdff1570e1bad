/// A compiled regular expression: instructions for ``Backtracker``.
struct RegexProgram: Sendable {
    var instructions: [Instruction] = []
    /// The UTF-8 bytes of all literals.
    var literals: [UInt8] = []
    var sets: [ScalarSet] = []
    /// Groups use the first registers: the start and the end of each, the whole match first.
    var registerCount = 0
    var groupCount = 0
    var groupNames: [String: Int] = [:]

    /// A register holds an offset in the text, a number of iterations, or a height of the stack.
    typealias Register = Int32
    /// An index of an instruction.
    typealias Address = Int32

    enum Instruction: Sendable {
        case byte(UInt8)
        /// An ASCII letter in either case, given in lower case.
        case letter(UInt8)
        /// Bytes of `literals`.
        case literal(start: Int32, count: Int32)
        /// A scalar that is compared after folding; it is folded itself.
        case folded(UInt32, LetterFolding)
        case anyScalar
        case set(Int32)
        /// A repetition of one scalar. A set of -1 is any scalar.
        case repeatSet(Int32, minimum: Int32, maximum: Int32, RegexNode.Greed)
        /// Continues at the next instruction; after a failure, at the address.
        case split(Address)
        case jump(Address)
        /// Stores the position.
        case save(Register)
        /// Sets the group's registers from the position that `start` holds and the current position.
        case capture(group: Int32, start: Register)
        /// Begins a repetition.
        case beginLoop(LoopRegisters)
        /// Decides about one more iteration of the loop. The next instruction is its `enterLoop`.
        case loop(LoopRegisters, minimum: Int32, maximum: Int32, lazy: Bool, exit: Address)
        case enterLoop(LoopRegisters)
        /// Remembers the position and the height of the stack for a look-around or an atomic group.
        case beginCut(CutRegisters)
        /// Forgets all alternatives since `beginCut`; the position is unchanged or restored.
        case endCut(CutRegisters, restoresPosition: Bool)
        /// Ends a negative look-around whose body has matched: returns to the state of `beginCut`, and fails.
        case failCut(CutRegisters)
        /// Moves back by the minimum, and after failures by more, up to the maximum.
        case stepBack(minimum: Int32, maximum: Int32)
        /// Fails unless the position is that of `beginCut`.
        case checkPosition(CutRegisters)
        case backReference(group: Int32, LetterFolding)
        case assertion(RegexAssertion)
        case fail
        case match
    }

    /// The registers of a repetition. Without a `count`, iterations are not counted.
    struct LoopRegisters: Sendable {
        let count: Register?
        /// The position at which the iteration began.
        let start: Register
    }

    struct CutRegisters: Sendable {
        let height: Register
        let position: Register
    }

    /// The program without reference counting, for the duration of a match.
    struct Buffers {
        let instructions: UnsafeBufferPointer<Instruction>
        let literals: UnsafeBufferPointer<UInt8>
        let sets: UnsafeBufferPointer<ScalarSet>
        let registerCount: Int
        let groupCount: Int
        let firstByte: UInt8?
    }

    /// The byte with which each match starts, if it is known.
    private var firstByte: UInt8? {
        for instruction in instructions {
            switch instruction {
            case .save: continue
            case .byte(let byte): return byte
            case .literal(let start, _): return literals[Int(start)]
            default: return nil
            }
        }
        return nil
    }

    func withBuffers<Result>(_ body: (Buffers) -> Result) -> Result {
        instructions.withUnsafeBufferPointer { instructions in
            literals.withUnsafeBufferPointer { literals in
                sets.withUnsafeBufferPointer { sets in
                    body(
                        Buffers(
                            instructions: instructions,
                            literals: literals,
                            sets: sets,
                            registerCount: registerCount,
                            groupCount: groupCount,
                            firstByte: firstByte
                        )
                    )
                }
            }
        }
    }
}
