import LinkRouting

/// Finds links that iOS opens by a file's rules and a table does not, or the other way round.
///
/// It searches the product automaton of all rules and routes breadth first. Each difference is therefore reported with
/// a shortest link, and if a complete search finds no difference, there is none. Nothing is sampled.
struct MigrationComparison {
    /// The rules in the order in which iOS compares them.
    let rules: [Rule]
    /// The routes in the order in which the table compares them.
    let routes: [Route]

    struct Rule {
        let opens: Bool
        let conditions: LinkConditions
    }

    struct Route {
        let id: RouteID
        /// The rule from which the route was made.
        let rule: Int
        let opens: Bool
        let conditions: LinkConditions
    }

    struct Difference {
        /// The path, query and fragment. The path ends with a slash.
        let text: [UInt8]
        let iosOpens: Bool
        let cause: Cause

        enum Cause {
            /// The rule's routes match fewer links than the rule, or more.
            case language
            /// A route of a later rule precedes the rule's own routes.
            case order(route: RouteID)
        }
    }

    struct Conflict: Hashable {
        let rule: Int
        /// A route of a later rule.
        let route: RouteID
    }

    struct Result {
        /// The differences by the rule to blame, with a shortest link for each.
        var differences: [Int: Difference] = [:]
        /// The routes of later rules that precede a rule's own routes, and so match links that the rule should decide.
        var conflicts: Set<Conflict> = []
        /// The rules and the routes that decide at least one link.
        var decidingRules: Set<Int> = []
        var decidingRoutes: Set<Int> = []
        /// Whether the search covered all links; if not, there may be further results.
        var isComplete = true
        /// The number of visited state pairs, a measure of the cost.
        var visited = 0
    }

    /// The maximum number of visited state pairs, and the maximum size of the automaton of rules and routes.
    private static let maximumStates = 80_000
    private static let maximumSize = 1 << 23
    /// The maximum length of a link in bytes. Longer links are not resolved.
    private static let maximumLength = DeepLink.maximumLength

    /// Compares the rules and routes for plain links, in whose segments the bytes of `escapes` may be escaped too.
    func run(_ scope: PlainLink.Scope, escaping escapes: ByteSet = .none) -> Result {
        let fitting = rules.map(\.conditions.languages) + routes.map(\.conditions.languages)
        let plain = PlainLink.languages(scope, escaping: escapes)
        let alphabet = Alphabet(fitting.flatMap(\.self) + plain)
        var links = Automaton([plain], alphabet)
        let precedence = Precedence(
            rules: rules.count,
            ruleOfRoute: routes.map(\.rule),
            anything: Precedence.Anything(bytes: PlainLink.inPath, delimiters: Array("?#".utf8))
        )
        var matcher = Automaton(fitting, alphabet, precedence)

        var result = Result()
        var steps = [Step(link: Automaton.start, match: Automaton.start, previous: -1, symbol: 0, length: 0)]
        var seen = StatePairs()
        _ = seen.insert(steps[0].link, steps[0].match)
        var next = 0
        while next < steps.count {
            let step = steps[next]
            if links.accepts(step.link) {
                judge(matcher.accepted(at: step.match), &result) { text(to: next, steps, alphabet) }
            }
            for symbol in alphabet.symbols.indices where step.length < Self.maximumLength {
                let link = links.step(step.link, symbol)
                guard link != Automaton.dead else { continue }
                let match = matcher.step(step.match, symbol)
                let step = Step(link: link, match: match, previous: next, symbol: symbol, length: step.length + 1)
                guard match != Automaton.dead, seen.insert(link, match) else { continue }
                guard steps.count < Self.maximumStates, matcher.size < Self.maximumSize else {
                    result.isComplete = false
                    result.visited = steps.count
                    return result
                }
                steps.append(step)
            }
            next += 1
        }
        result.visited = steps.count
        return result
    }

    private struct Step {
        let link: Int
        let match: Int
        let previous: Int
        let symbol: Int
        let length: Int
    }

    /// A set of pairs of states. States are numbered from 0, so that bits are faster than hashing.
    private struct StatePairs {
        /// By state of the matcher: a bit for each state of the links.
        private var bits: [[UInt64]] = []

        /// Returns whether the pair is new.
        mutating func insert(_ link: Int, _ match: Int) -> Bool {
            while bits.count <= match { bits.append([]) }
            let (word, bit) = (link >> 6, UInt64(1) << UInt64(link & 63))
            while bits[match].count <= word { bits[match].append(0) }
            guard bits[match][word] & bit == 0 else { return false }
            bits[match][word] |= bit
            return true
        }
    }

    private func text(to last: Int, _ steps: [Step], _ alphabet: Alphabet) -> [UInt8] {
        var text: [UInt8] = []
        var index = last
        while steps[index].previous >= 0 {
            text.append(alphabet.symbols[steps[index].symbol])
            index = steps[index].previous
        }
        return text.reversed()
    }

    /// Evaluates a link. `fitting` are the indices of the rules that it matches, then of the routes, offset by the
    /// number of rules.
    private func judge(_ fitting: [Int], _ result: inout Result, _ text: () -> [UInt8]) {
        let ruling = fitting.first.flatMap { $0 < rules.count ? $0 : nil }
        let winner = fitting.first { $0 >= rules.count }.map { $0 - rules.count }
        if let ruling { result.decidingRules.insert(ruling) }
        if let winner { result.decidingRoutes.insert(winner) }
        let iosOpens = ruling.map { rules[$0].opens } ?? false
        guard iosOpens != (winner.map { routes[$0].opens } ?? false) else { return }

        var blamed = ruling
        var cause = Difference.Cause.language
        if let winner, !fitting.contains(routes[winner].rule) {
            blamed = routes[winner].rule
        } else if let winner, fitting.contains(where: { $0 >= rules.count && routes[$0 - rules.count].rule == ruling })
        {
            cause = .order(route: routes[winner].id)
            if let ruling { result.conflicts.insert(Conflict(rule: ruling, route: routes[winner].id)) }
        }
        guard let blamed, result.differences[blamed] == nil else { return }
        result.differences[blamed] = Difference(text: text(), iosOpens: iosOpens, cause: cause)
    }
}
