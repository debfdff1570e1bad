/// Executes a ``RegexProgram`` on the UTF-8 of a text. Alternatives wait on an explicit stack, so that neither pattern
/// nor text decides about recursion.
struct Backtracker: ~Copyable {
    private let program: RegexProgram.Buffers
    let text: UnsafeBufferPointer<UInt8>
    /// The remaining steps; negative when the budget is exceeded.
    private(set) var budget: Int
    private var registers: [Int]
    private var stack: [Entry] = []
    private(set) var searchStart = 0
    private var matchesWhole = false

    /// A million entries, which is 32 MB.
    private static let maximumStackHeight = 1_000_000

    enum Anchoring {
        /// The match is the whole text.
        case whole
        case leftmost
    }

    enum Outcome {
        /// The registers; those of the groups come first.
        case match([Int])
        case noMatch
        case stepLimitExceeded
    }

    /// The continuation after a failure.
    private enum Entry {
        /// Continue at the address and the position.
        case choice(RegexProgram.Address, position: Int)
        /// Undo a change of a register, and fail.
        case restore(RegexProgram.Register, Int)
        /// A greedy repetition of a set: give back one scalar.
        case giveBack(RegexProgram.Address, minimum: Int, position: Int)
        /// A lazy repetition of a set: take one more scalar.
        case takeMore(RegexProgram.Address, position: Int, remaining: Int32)
        /// A look-behind: start one scalar earlier.
        case stepBack(RegexProgram.Address, position: Int, remaining: Int32)
    }

    init(_ program: RegexProgram.Buffers, _ text: UnsafeBufferPointer<UInt8>, budget: Int) {
        self.program = program
        self.text = text
        self.budget = budget
        registers = Array(repeating: -1, count: program.registerCount)
    }

    mutating func search(_ anchoring: Anchoring, from start: Int) -> Outcome {
        searchStart = start
        switch anchoring {
        case .whole:
            matchesWhole = true
            return run(from: start)
        case .leftmost:
            matchesWhole = false
            var position = start
            while position <= text.count {
                if let byte = program.firstByte {
                    while position < text.count, text[position] != byte { position += 1 }
                    guard position < text.count else { return .noMatch }
                }
                switch run(from: position) {
                case .noMatch: position += position < text.count ? length(at: position) : 1
                case let outcome: return outcome
                }
            }
            return .noMatch
        }
    }

    private mutating func run(from start: Int) -> Outcome {
        for register in registers.indices { registers[register] = -1 }
        stack.removeAll(keepingCapacity: true)
        registers[0] = start
        guard let end = execute(from: start) else { return budget < 0 ? .stepLimitExceeded : .noMatch }
        registers[1] = end
        return .match(registers)
    }

    // MARK: Scalars

    @inline(__always)
    func length(at position: Int) -> Int {
        let byte = text[position]
        return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }

    @inline(__always)
    func scalar(at position: Int) -> UInt32 {
        let byte = UInt32(text[position])
        return byte < 0x80 ? byte : longScalar(at: position)
    }

    private func longScalar(at position: Int) -> UInt32 {
        let byte = UInt32(text[position])
        func next(_ offset: Int) -> UInt32 { UInt32(text[position + offset]) & 0x3F }
        if byte < 0xE0 { return (byte & 0x1F) << 6 | next(1) }
        if byte < 0xF0 { return (byte & 0x0F) << 12 | next(1) << 6 | next(2) }
        return (byte & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3)
    }

    /// The start of the scalar that ends at the position, which is not 0.
    @inline(__always)
    func start(before position: Int) -> Int {
        var start = position - 1
        while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
        return start
    }

    // MARK: The loop

    /// Returns the end of the match. Nil if there is none, or the budget is exceeded.
    private mutating func execute(from start: Int) -> Int? {
        var position = start
        var address = 0
        while true {
            budget -= 1
            guard budget >= 0 else { return nil }
            var isMatch = false
            switch program.instructions[address] {
            case .match:
                if !matchesWhole || position == text.count { return position }
            case .byte(let byte):
                isMatch = position < text.count && text[position] == byte
                position += 1
            case .letter(let letter):
                isMatch = position < text.count && text[position] | 0x20 == letter
                position += 1
            case .literal(let start, let count):
                isMatch = hasLiteral(Int(start), Int(count), at: position)
                position += Int(count)
            case .folded(let scalar, let folding):
                if position < text.count, folding.folded(self.scalar(at: position)) == scalar {
                    isMatch = true
                    position += length(at: position)
                }
            case .anyScalar:
                if position < text.count {
                    isMatch = true
                    position += length(at: position)
                }
            case .set(let set):
                if position < text.count, contains(set, scalar(at: position)) {
                    isMatch = true
                    position += length(at: position)
                }
            case .repeatSet(let set, let minimum, let maximum, let greed):
                if let end = repeated(set, Int(minimum), maximum, greed, address, from: position) {
                    isMatch = true
                    position = end
                }
            case .split(let other):
                push(.choice(other, position: position))
                isMatch = true
            case .jump(let target):
                address = Int(target)
                continue
            case .loop(let loop, let minimum, let maximum, let lazy, let exit):
                guard decide(loop, minimum, maximum, lazy, exit, address, position) else {
                    address = Int(exit)
                    continue
                }
                isMatch = true
            case .stepBack(let minimum, let maximum):
                if let back = stepBack(minimum, maximum, address, from: position) {
                    isMatch = true
                    position = back
                }
            case .backReference(let group, let folding):
                if let end = backReference(Int(group), folding, at: position) {
                    isMatch = true
                    position = end
                }
            case .assertion(let assertion): isMatch = holds(assertion, at: position)
            case .fail: break
            case let instruction: isMatch = update(instruction, &position)
            }
            if isMatch {
                address += 1
            } else {
                guard let next = backtrack(&position) else { return nil }
                address = next
            }
        }
    }

    /// Executes an instruction that changes registers only. Returns false for a failure.
    private mutating func update(_ instruction: RegexProgram.Instruction, _ position: inout Int) -> Bool {
        switch instruction {
        case .save(let register): set(register, position)
        case .capture(let group, let start):
            set(group * 2, registers[Int(start)])
            set(group * 2 + 1, position)
        case .beginLoop(let loop):
            if let count = loop.count { set(count, 0) }
            set(loop.start, -1)
        case .enterLoop(let loop):
            if let count = loop.count { set(count, registers[Int(count)] + 1) }
            set(loop.start, position)
        case .beginCut(let cut):
            set(cut.position, position)
            set(cut.height, stack.count + 1, always: true)
        case .endCut(let cut, let restoresPosition):
            forgetChoices(above: registers[Int(cut.height)])
            if restoresPosition { position = registers[Int(cut.position)] }
        case .failCut(let cut):
            let height = registers[Int(cut.height)]
            while stack.count > height, let entry = stack.popLast() {
                if case .restore(let register, let value) = entry { registers[Int(register)] = value }
            }
            return false
        case .checkPosition(let cut): return position == registers[Int(cut.position)]
        default: preconditionFailure("execute handles all other instructions")
        }
        return true
    }

    /// Changes a register. A change that no failure can undo is not recorded, unless `always` is set.
    @inline(__always)
    private mutating func set(_ register: RegexProgram.Register, _ value: Int, always: Bool = false) {
        if always || !stack.isEmpty { push(.restore(register, registers[Int(register)])) }
        registers[Int(register)] = value
    }

    @inline(__always)
    private mutating func push(_ entry: Entry) {
        stack.append(entry)
        if stack.count > Self.maximumStackHeight { budget = -1 }
    }

    /// Removes the alternatives above a height, and keeps what a later failure must undo.
    private mutating func forgetChoices(above height: Int) {
        var newCount = height
        for index in height..<max(height, stack.count) {
            guard case .restore = stack[index] else { continue }
            stack[newCount] = stack[index]
            newCount += 1
        }
        budget -= stack.count - height
        stack.removeLast(stack.count - newCount)
    }

    /// Returns the address of the next alternative and sets its position; nil if there is none.
    private mutating func backtrack(_ position: inout Int) -> Int? {
        while let entry = stack.popLast() {
            budget -= 1
            switch entry {
            case .choice(let address, let saved):
                position = saved
                return Int(address)
            case .restore(let register, let value):
                registers[Int(register)] = value
            case .giveBack(let address, let minimum, let saved):
                position = start(before: saved)
                if position > minimum { push(.giveBack(address, minimum: minimum, position: position)) }
                return Int(address) + 1
            case .takeMore(let address, let saved, let remaining):
                guard case .repeatSet(let set, _, _, _) = program.instructions[Int(address)], saved < text.count,
                    contains(set, scalar(at: saved))
                else { continue }
                position = saved + length(at: saved)
                if remaining > 1 { push(.takeMore(address, position: position, remaining: less(remaining))) }
                return Int(address) + 1
            case .stepBack(let address, let saved, let remaining):
                guard saved > 0 else { continue }
                position = start(before: saved)
                if remaining > 1 { push(.stepBack(address, position: position, remaining: remaining - 1)) }
                return Int(address) + 1
            }
        }
        return nil
    }

    /// Unbounded repetitions are not counted down.
    private func less(_ remaining: Int32) -> Int32 { remaining == .max ? .max : remaining - 1 }
}

/// Single instructions.
extension Backtracker {
    @inline(__always)
    private mutating func contains(_ set: Int32, _ scalar: UInt32) -> Bool {
        guard set >= 0 else { return true }
        if scalar >= 0x80 { budget -= program.sets[Int(set)].cost }
        return program.sets[Int(set)].contains(scalar)
    }

    private mutating func hasLiteral(_ start: Int, _ count: Int, at position: Int) -> Bool {
        guard text.count - position >= count else { return false }
        for offset in 0..<count where text[position + offset] != program.literals[start + offset] { return false }
        budget -= count / 8
        return true
    }

    /// Repeats a set as often as the kind of repetition requires. Returns the end; nil for a failure.
    private mutating func repeated(
        _ set: Int32,
        _ minimum: Int,
        _ maximum: Int32,
        _ greed: RegexNode.Greed,
        _ address: Int,
        from start: Int
    ) -> Int? {
        var position = start
        var count = 0
        let limit = greed == .lazy ? minimum : maximum == .max ? Int.max : Int(maximum)
        var leastEnd = start
        while count < limit, position < text.count, contains(set, scalar(at: position)) {
            position += length(at: position)
            count += 1
            if count == minimum { leastEnd = position }
        }
        budget -= count
        guard count >= minimum else { return nil }
        let address = RegexProgram.Address(address)
        switch greed {
        case .possessive: break
        case .greedy:
            if position > leastEnd { push(.giveBack(address, minimum: leastEnd, position: position)) }
        case .lazy:
            let remaining = maximum == .max ? maximum : maximum - Int32(minimum)
            if remaining > 0 { push(.takeMore(address, position: position, remaining: remaining)) }
        }
        return position
    }

    /// Whether the loop continues with an iteration. Pushes the other decision as an alternative.
    private mutating func decide(
        _ loop: RegexProgram.LoopRegisters,
        _ minimum: Int32,
        _ maximum: Int32,
        _ lazy: Bool,
        _ exit: RegexProgram.Address,
        _ address: Int,
        _ position: Int
    ) -> Bool {
        // An iteration that matches the empty text ends the loop, as in Java.
        guard registers[Int(loop.start)] != position else { return false }
        let count = loop.count.map { registers[Int($0)] } ?? 0
        if count < minimum { return true }
        guard maximum == .max || count < maximum else { return false }
        push(.choice(lazy ? RegexProgram.Address(address + 1) : exit, position: position))
        return !lazy
    }

    private mutating func stepBack(_ minimum: Int32, _ maximum: Int32, _ address: Int, from start: Int) -> Int? {
        var position = start
        for _ in 0..<minimum {
            guard position > 0 else { return nil }
            position = self.start(before: position)
            budget -= 1
        }
        let remaining = maximum - minimum
        if remaining > 0 {
            push(.stepBack(RegexProgram.Address(address), position: position, remaining: remaining))
        }
        return position
    }

    private mutating func backReference(_ group: Int, _ folding: LetterFolding, at position: Int) -> Int? {
        let (start, end) = (registers[group * 2], registers[group * 2 + 1])
        guard start >= 0, end >= start else { return nil }
        budget -= (end - start) / 4
        if folding == .exact {
            guard text.count - position >= end - start else { return nil }
            for offset in 0..<(end - start) where text[start + offset] != text[position + offset] { return nil }
            return position + (end - start)
        }
        var (left, right) = (start, position)
        while left < end {
            guard right < text.count, folding.folded(scalar(at: left)) == folding.folded(scalar(at: right)) else {
                return nil
            }
            left += length(at: left)
            right += length(at: right)
        }
        return right
    }
}
