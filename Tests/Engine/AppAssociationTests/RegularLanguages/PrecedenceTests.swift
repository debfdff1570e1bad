import LinkRouting
import TestSupport
import Testing

@testable import AppAssociation

/// An automaton that drops what no longer matters gives the same answers as one that keeps everything, with fewer states.
struct PrecedenceTests {
    private static let words = ["a", "b", "ab", "a/b", "*a*", "*", "a*", "*b", "?", "a/*/b", "*/a/*", "*/b"]

    /// Rules, and routes that were made from them, of which some are wrong.
    private struct Sample {
        let groups: [[Language]]
        let precedence: Precedence

        init(_ chance: inout Chance) {
            let rules = (0..<2 + chance.below(5)).map { _ in Self.conditions(&chance) }
            let routes = (0..<1 + chance.below(6)).map { _ in Self.conditions(&chance) }
            groups = (rules + routes).map(\.languages)
            precedence = Precedence(
                rules: rules.count,
                ruleOfRoute: routes.map { _ in chance.below(rules.count) },
                anything: Precedence.Anything(bytes: PlainLink.inPath, delimiters: Array("?#".utf8))
            )
        }

        private static func conditions(_ chance: inout Chance) -> LinkConditions {
            let path = Glob("/\(chance.one(of: PrecedenceTests.words))") { _ in nil }.pathLanguage()
            var conditions = LinkConditions(path: path, fragment: chance.below(4) == 0 ? .text("#f".utf8) : nil)
            if chance.below(4) == 0 {
                conditions.add(query: LinkConditions.query("q", has: .text("1".utf8), mayBeAbsent: false))
            }
            return conditions
        }
    }

    /// What a comparison of rules and routes needs to know about a link.
    private struct Judgement: Equatable {
        let ruling: Int?
        let winner: Int?
        let winnersRuleFits: Bool
        let rulingHasARoute: Bool

        init(_ fitting: [Int], _ precedence: Precedence) {
            let first = fitting.first { $0 < precedence.rules }
            ruling = first
            winner = fitting.first { $0 >= precedence.rules }
            func rule(of group: Int) -> Int { precedence.ruleOfRoute[group - precedence.rules] }
            winnersRuleFits = winner.map { fitting.contains(rule(of: $0)) } ?? false
            let routes = fitting.filter { $0 >= precedence.rules }
            rulingHasARoute = routes.contains { rule(of: $0) == first }
        }
    }

    @Test(arguments: RandomCases.seeds(UInt64(8))) func settledAutomatonAcceptsTheSamePaths(_ seed: UInt64) {
        var chance = Chance(seed)
        var (all, few) = (0, 0)
        for _ in 0..<40 {
            let sample = Sample(&chance)
            let alphabet = Alphabet(sample.groups.flatMap(\.self))
            var whole = Automaton(sample.groups, alphabet)
            var settled = Automaton(sample.groups, alphabet, sample.precedence)
            for _ in 0..<60 {
                var (first, second) = (Automaton.start, Automaton.start)
                var path = "/"
                for _ in 0..<1 + chance.below(5) { path += "\(chance.one(of: ["a", "b", "ab", "x"]))/" }
                let text = path + chance.one(of: ["", "?q=1", "?q=2", "?x", "#f", "#g", "?q=1#f"])
                for byte in text.utf8 {
                    let symbol = alphabet.symbols.firstIndex { symbol in
                        sample.groups.allSatisfy { $0.allSatisfy { $0.treatsAlike(symbol, byte) } }
                    }
                    guard let symbol else {
                        Issue.record("no symbol for \(byte)")
                        return
                    }
                    first = whole.step(first, symbol)
                    second = settled.step(second, symbol)
                }
                #expect(
                    Judgement(whole.accepted(at: first), sample.precedence)
                        == Judgement(settled.accepted(at: second), sample.precedence),
                    "\(text)"
                )
            }
            all += whole.stateCount
            few += settled.stateCount
        }
        #expect(few < all)
    }

    /// Twice the rules visit at most four times the states: a rule that is met settles all later ones.
    @Test func statesGrowWithTheRulesAndNotWithTheirSubsets() throws {
        func visited(_ count: Int) throws -> Int {
            let migrated = (0..<count).map { Glob("/*/p\($0)x/*") { _ in nil }.pathLanguage() }
            let rules = migrated.map { MigrationComparison.Rule(opens: true, conditions: LinkConditions(path: $0)) }
            let result = MigrationComparison(rules: rules, routes: []).run(.paths)
            #expect(result.isComplete)
            return result.visited
        }
        let (small, large) = (try visited(12), try visited(24))
        #expect(large <= 4 * small, "\(small) and \(large)")
    }

    /// Legacy paths with stars in the middle. The limit only ends a run that would take minutes.
    @Test(.timeLimit(.minutes(15))) func legacyPathsWithStarsAreDecided() throws {
        let rules =
            [
                "NOT /*/edit", "NOT /*/edit/*", "NOT /login*", "/*/watch*", "/user/*/videos", "/user/*/videos/*",
                "/c/*/live", "/*/embed/*",
            ] + (0..<18).map { "/sec\($0)/*/item*" }
        let migrated = try MigratedFile(paths: rules)
        #expect(!migrated.migration.reports.contains { $0.kind == .undecided })
        for report in migrated.migration.reports {
            let example = try #require(report.example)
            #expect(migrated.iosOpens(example.url) == example.iosOpens)
            #expect(migrated.tableOpens(example.url) != example.iosOpens)
        }
    }
}

extension Language {
    /// Whether no set of the language contains only one of the bytes.
    fileprivate func treatsAlike(_ one: UInt8, _ other: UInt8) -> Bool {
        switch self {
        case .empty: true
        case .byte(let set): set.contains(one) == set.contains(other)
        case .sequence(let parts), .either(let parts): parts.allSatisfy { $0.treatsAlike(one, other) }
        case .repeated(let part): part.treatsAlike(one, other)
        }
    }
}
