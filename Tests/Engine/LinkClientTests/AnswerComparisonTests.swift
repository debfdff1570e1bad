import ClientComparison
import Testing

struct AnswerComparisonTests {
    @Test(arguments: 0..<8 as Range<UInt64>) func appAnswersLikeTheServer(_ part: UInt64) throws {
        var tally = ClientComparison.Tally()
        for seed in (part * 10)..<(part * 10 + 10) { tally = tally + (try ClientComparison.run(seed: seed)) }
        #expect(tally.answers == 500)
        #expect(tally.matched > 20, "the generator makes links that match")
        #expect(tally.undecided < 250, "apps decide most links")
    }
}
