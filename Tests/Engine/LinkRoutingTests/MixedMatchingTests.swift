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
        ("{a:string(3..4)}-{b:int}-{c:int}", "ab-c-5-7", "ab-c 5 7"),
        ("{a}.{s(ab,b)}-{b:date}-{c:int}", "x.ab.b-2026-11-21-7", "x.ab b 2026-11-21 7"),
        ("{a:string(3..4)}-{b:string(2..5)}", "ab-c-de-7", "ab-c de-7"),
        ("{a:slug}-{b:slug(2)}", "a-b-c-de", "a-b-c de"),
        ("{a:slug}.{b:slug}-{c:int}", "a-b.c-d-7", "a-b c-d 7"), ("{a(x,x-y)}-{b:alpha}", "x-y-z", "x-y z"),
        ("{a:int}1{b:int}", "2113", "2 13"), ("{a:number}.{b}", "1.2.x", "1 2.x"),
        ("{a:slug}-{b}-{c}", "a--b-c", "a -b c"),
        ("{a}-{b(en,de)}-{c:int}", "x-en-de-7", "x-en de 7"), ("{a:bool}e{b:alpha}", "trueex", "true x"),
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
            ("{a:alnum}a{b:alnum}", "a"), ("{a:slug}-{b:slug}", "a-"), ("{a:slug}.{b:slug}-{c:int}-{d:int}", "a-"),
            ("{a:string(1..3000)}-{b:string(1..3000)}", "-"), ("{a:int}-{b:slug}-{c:uuid}", "1-"),
            ("{a}-{b(VALUES)}-{c:int}", "-"), ("{a}-{b:number}-{c:number}", "1-"), ("{a}-{b:slug}", "a-"),
            ("{a}a{b(VALUES)}", "a"),
        ]
    ) func hostileTextIsMatchedQuickly(_ pattern: String, _ piece: String) throws {
        let text = String(repeating: piece, count: 8_000 / piece.utf8.count)
        let values = (0..<500).map { "\($0)" } + [String(repeating: "y", count: 100)]
        let pattern = pattern.replacing("VALUES", with: values.joined(separator: ","))
        for end in ["!", "?", "-", "--"] { #expect(try captures(pattern, text + end) == nil) }
    }

    /// Trying several ends of several parameters, or a long text behind each end, would take long.
    @Test(arguments: [
        ("{a:slug}-{b:slug}-{c:int}", "'{a}' and '{b}' may; write another one after '{a}'"),
        ("{a}-{b:string(2..3)}-{c:int}", "'{a}' and '{b}' may"), ("{a:int}1{b:int}1{c:int}", "'{a}' and '{b}' may"),
        ("{a(x,x-y)}-{b:slug}-{c:int}", "'{a}' and '{b}' may"), ("{a:slug}A{b:alpha}a{c:int}", "'{a}' and '{b}' may"),
        ("{a}-{b:int}-{c}", "must have at most 128 bytes; give '{c}' a length"),
        ("{a}-{b:string(..100)}", ""), ("{a}-{b:int}-{c:string(..107)}", "must have at most 128 bytes"),
        ("{a}-{b:int}-{c:string(..106)}", ""), ("{a:slug}-{b}-{c:slug}", ""),
        ("{a:slug}-{b:slug}.{c:slug}", "give '{b}' a length"),
        ("{a}-{b(x,LONG)}", "give '{b}' a length"), ("{a:int}LONG{b}", "must have at most 64 bytes"),
        ("LONG{a:int}x{b:int}LONG", ""), ("{a:alnum(4)}a{b:slug(4)}a{c:slug}a{d}", ""),
    ]) func segmentWithManyWaysToSplitATextIsRefused(_ pattern: String, _ problem: String) {
        let pattern = "/" + pattern.replacing("LONG", with: String(repeating: "y", count: 129))
        do {
            _ = try RoutePattern(pattern)
            #expect(problem.isEmpty)
        } catch {
            #expect(!problem.isEmpty && error.description.contains(problem), "\(error)")
        }
    }

    /// A matcher without memory, which tries every way to split the text, finds the same.
    @Test(arguments: RandomCases.seeds(4)) func matcherAgreesWithTryingEverySplit(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var (matches, refused) = (0, 0)
        for _ in 0..<4_000 {
            var pattern = random.pick(["", "", "a", "-1"])
            let count = 1 + random.below(4)
            for index in 0..<count {
                let literal = random.pick(index == count - 1 ? ["", "", "-", "a", "1-"] : ["-", ".", "a", "1-", "--"])
                pattern += "{p\(index)\(random.pick(Self.types))}" + literal
            }
            guard let parsed = try? RoutePattern("/" + pattern) else {
                refused += 1
                continue
            }
            guard case .mixed(let mixed)? = parsed.segments.first else { continue }
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
        #expect(refused < 2_500)
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

    /// A mixed segment counts what its worst text takes. Only ends near the end of the text are tried.
    @Test(arguments: [
        ("{a}.{b}", 502), ("{a(VALUES)}.{b}", 14), ("{a}.{b:int}", 117), ("{a}.{b:int}.{c:alpha(..60)}", 2_459),
        ("{a}-{b(VALUES)}-{c:int}", 291), ("{a}-{b(VALUES)}", 36),
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
