import LinkRouting

/// Looks for links that iOS opens by a file's rules and a table does not, or the other way round.
///
/// It walks all rules and routes at once, shortest links first, so that each difference is told by a shortest link, and what is
/// not found does not exist. It samples nothing.
struct MigrationComparison {
    /// In the order in which iOS compares them.
    let rules: [Rule]
    /// In the order in which the table compares them.
    let routes: [Route]

    struct Rule {
        let opens: Bool
        let conditions: LinkConditions
    }

    struct Route {
        let id: RouteID
        /// The rule that it was made from.
        let rule: Int
        let opens: Bool
        let conditions: LinkConditions
    }

    struct Difference {
        /// Path, query and fragment; the path ends with a slash.
        let text: [UInt8]
        let iosOpens: Bool
        let cause: Cause

        enum Cause {
            /// The rule's routes take fewer links than it does, or more.
            case language
            /// A route stands before the rule's own, although its rule stands behind.
            case order(route: RouteID)
        }
    }

    struct Conflict: Hashable {
        let rule: Int
        /// Of a later rule.
        let route: RouteID
    }

    struct Result {
        /// By the rule to blame; for each a shortest.
        var differences: [Int: Difference] = [:]
        /// Routes that stand before a rule's own ones, and so take links that it should decide about.
        var conflicts: Set<Conflict> = []
        /// Rules and routes that decide about some link.
        var decidingRules: Set<Int> = []
        var decidingRoutes: Set<Int> = []
        /// Whether all links were looked at; otherwise more may be found.
        var isComplete = true
    }

    /// Pairs of states that are looked at, and what their automaton may grow to.
    private static let maximumStates = 80_000
    private static let maximumSize = 1 << 23
    /// In bytes; no longer link is resolved.
    private static let maximumLength = Link.maximumLength

    /// Looks at plain links, in whose segments also `escapes` may be escaped.
    func run(_ scope: PlainLink.Scope, escaping escapes: ByteSet = .none) -> Result {
        let fitting = rules.map(\.conditions.languages) + routes.map(\.conditions.languages)
        let plain = PlainLink.languages(scope, escaping: escapes)
        let alphabet = Alphabet(fitting.flatMap(\.self) + plain)
        var links = Automaton([plain], alphabet)
        var matcher = Automaton(fitting, alphabet)

        var result = Result()
        var steps = [Step(link: Automaton.start, match: Automaton.start, previous: -1, symbol: 0, length: 0)]
        var seen: Set = [steps[0].pair]
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
                guard match != Automaton.dead, seen.insert(step.pair).inserted else { continue }
                guard steps.count < Self.maximumStates, matcher.size < Self.maximumSize else {
                    result.isComplete = false
                    return result
                }
                steps.append(step)
            }
            next += 1
        }
        return result
    }

    private struct Step {
        let link: Int
        let match: Int
        let previous: Int
        let symbol: Int
        let length: Int

        /// The two states as one number; each is below ``maximumStates``.
        var pair: UInt64 { UInt64(link) << 32 | UInt64(match) }
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

    /// `fitting` are the rules and, counted behind them, the routes that a link fits.
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
