import TestSupport
import Testing

@testable import LinkRouting

struct MixedMatchingTests {
    private func captures(_ pattern: String, _ text: String) throws -> [String]? {
        guard case .mixed(let mixed)? = try RoutePattern("/" + pattern).segments.first else { return nil }
        let bytes = Array(text.utf8)
        return mixed.match(bytes[...], .sensitive)?.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test(arguments: [
        ("{name}.{ext}", "a.b.c", "a b.c"), ("{title}-{id:int}", "a-b-7", "a-b 7"),
        ("{title}-{id:int}", "a-b-7-8", "a-b-7 8"),
        ("item-{id:int}", "item-7", "7"),
        ("{a:alnum(1..9223372036854775807)}.{b:string(2..)}.{c}", "a.b.cd.e", "a b.cd e"),
        ("{a:string(3..4)}-{b:string(2..3)}-{c:int}", "ab-c-de-7", "ab-c de 7"),
        ("{a}.{s(ab-c,b)}-{b:string(3..)}-{c:int}", "x.ab-c-d.b-c-d-7", "x ab-c d.b-c-d 7"),
        ("{a}--{b}", "x---y", "x -y"), ("{a:int}x{b}", "12x3x", "12 3x"),
        ("v{a}.{b}.{c}", "v1.2.3.4", "1 2 3.4"),
        ("{a:slug}_{b}", "a-b_c_d", "a-b c_d"), ("{a}é{b}", "xéy", "x y"),
        ("{a:alnum(2)}{b:int}".replacing("}{", with: "}-{"), "ab-7", "ab 7"),
    ]) func parametersTakeAsLittleAsTheyCan(_ pattern: String, _ text: String, _ expected: String) throws {
        #expect(try captures(pattern, text) == expected.split(separator: " ").map(String.init))
    }

    @Test(arguments: [
        ("{name}.{ext}", ".b"), ("{name}.{ext}", "a."), ("{name}.{ext}", "ab"), ("item-{id:int}", "item-"),
        ("item-{id:int}", "item-x"),
        ("item-{id:int}", "Item-7"), ("{title}-{id:int}", "a-b"), ("{a:int}.{b:int}", "1.2.3"), ("{a}.html", ".html"),
        ("{a}.html", "a.htm"),
    ]) func valueOfAnotherTypeIsRefused(_ pattern: String, _ text: String) throws {
        #expect(try captures(pattern, text) == nil)
    }

    /// Trying every way to split such a text would take exponential time.
    @Test(
        .timeLimit(.minutes(15)),
        arguments: [
            ("{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h:int}", "-"),
            ("{a:alnum}a{b:alnum}a{c:alnum}a{d:alnum}a{e:alnum}a{f:alnum}a{g:int}", "a"),
            ("{a:slug}-{b:slug}-{c:slug}-{d:slug}-{e:slug}-{f:slug}-{g:slug}-{h:int}", "a-"),
            ("{a:string(1..4000)}-{b:string(1..4000)}-{c:string(1..4000)}-{d:int}", "-"),
            ("{a}-{b(VALUES)}-{c}", "-"), ("{a}-{b:number}-{c:number}x{d}x", "1-"), ("{a}-{b:slug}", "a-"),
            ("{a}a{b(VALUES)}", "a"),
        ]
    ) func hostileTextIsMatchedQuickly(_ pattern: String, _ piece: String) throws {
        let text = String(repeating: piece, count: 8_000 / piece.utf8.count)
        let values = (0..<500).map { "\($0)" } + [String(repeating: "y", count: 4_000)]
        let pattern = pattern.replacing("VALUES", with: values.joined(separator: ","))
        for end in ["!", "?", "-", "--"] { #expect(try captures(pattern, text + end) == nil) }
    }

    /// A matcher without memory, which tries every way to split the text, finds the same.
    @Test(arguments: RandomCases.seeds(4)) func matcherAgreesWithTryingEverySplit(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var matches = 0
        for _ in 0..<2_000 {
            var pattern = random.pick(["", "", "a", "-1"])
            let count = 1 + random.below(4)
            for index in 0..<count {
                let literal = random.pick(index == count - 1 ? ["", "", "-", "a", "1-"] : ["-", ".", "a", "1-", "--"])
                pattern += "{p\(index)\(random.pick(Self.types))}" + literal
            }
            guard case .mixed(let mixed)? = try RoutePattern("/" + pattern).segments.first else { continue }
            for _ in 0..<20 {
                // Half of the texts are values and the literals of the pattern.
                let text =
                    random.chance(50)
                    ? mixed.pieces.reduce(String(decoding: mixed.prefix, as: UTF8.self)) {
                        $0 + random.pick(Self.values) + String(decoding: $1.literal, as: UTF8.self)
                    }
                    : (0..<random.below(12)).map { _ in random.pick(["a", "B", "1", "0", "-", "-", ".", "b"]) }.joined()
                let bytes = Array(text.utf8)[...]
                for letterCase in [LetterCase.sensitive, .ignored] {
                    let found = mixed.match(bytes, letterCase)
                    let expected = Self.split(bytes, mixed, letterCase)
                    #expect(found == expected, "\(pattern) with \(text), \(letterCase)")
                    matches += found == nil ? 0 : 1
                }
            }
        }
        #expect(matches > 2_000)
    }

    private static let types = [
        "", ":int", ":int(1..50)", ":number", ":bool", ":slug", ":slug(2..3)", ":alpha", ":alnum(1..2)", ":hex",
        ":string(2..3)",
        "(a)", "(a,a-b,ab)", "(1,-,1-1,b)", "(b,B1,0)",
    ]

    private static let values = ["a", "b", "ab", "a-b", "1", "1-1", "50", "-1", "a.b", "B1", "true", "-", "aa", "1.0"]

    /// The first split in the documented order: each parameter takes as little as possible, the first one first.
    private static func split(
        _ text: ArraySlice<UInt8>,
        _ mixed: RoutePattern.Mixed,
        _ letterCase: LetterCase
    ) -> [Range<Int>]? {
        func split(_ pieces: ArraySlice<RoutePattern.Mixed.Piece>, from start: Int) -> [Range<Int>]? {
            guard let piece = pieces.first else { return start == text.endIndex ? [] : nil }
            for end in stride(from: start + 1, through: text.endIndex, by: 1)
            where piece.parameter.type.accepts(text[start..<end], letterCase) {
                let rest = text[end...].prefix(piece.literal.count)
                guard areEqual(rest, piece.literal, letterCase) else { continue }
                if let others = split(pieces.dropFirst(), from: rest.endIndex) { return [start..<end] + others }
            }
            return nil
        }
        let prefix = text.prefix(mixed.prefix.count)
        return areEqual(prefix, mixed.prefix, letterCase) ? split(mixed.pieces[...], from: prefix.endIndex) : nil
    }

    /// A mixed segment counts what its worst text takes. A set after the first parameter is compared at each byte.
    @Test(arguments: [
        ("{a}.{b}", 9), ("{a(VALUES)}.{b}", 21), ("{a}.{b:int}", 9), ("{a}.{b:int}.{c}", 169),
        ("{a}-{b(VALUES)}-{c}", 45), ("{a}-{b(VALUES)}", 9),
    ]) func mixedSegmentTakesSteps(_ pattern: String, _ steps: Int) throws {
        let values = (0..<400).map { "v\($0)" }.joined(separator: ",")
        guard case .mixed(let mixed)? = try RoutePattern("/" + pattern.replacing("VALUES", with: values)).segments.first
        else {
            Issue.record("\(pattern) is not a mixed segment")
            return
        }
        #expect(mixed.steps == steps)
    }
}
