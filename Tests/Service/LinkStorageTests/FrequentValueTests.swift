import LinkRouting
import Testing

@testable import LinkStorage

struct FrequentValueTests {
    /// Three of 5,003 values are frequent. The others occur once each, before, after or between them.
    @Test(arguments: [0, 2_500, 5_000], [1, 27, 80])
    func frequentOnesAreFound(begin: Int, apart: Int) {
        let frequent: [ExactText] = ["a", "b", "c"]
        var added = (0..<5_000).map { ExactText("once \($0)") }
        for number in 0..<180 { added.insert(frequent[number % 3], at: (begin + number * apart) % added.count) }
        var values = FrequentValues(capacity: 100)
        for value in added { values.add(value, count: 1) }
        #expect(Set(frequent).isSubset(of: values.counts.keys))
        #expect(values.counts.count <= 100)
        #expect(values.counts.allSatisfy { $0.value <= 60 })
    }

    @Test func countsOfManyAtOnceAreKept() {
        var values = FrequentValues(capacity: 2)
        values.add("a", count: 5)
        values.add("b", count: 2)
        values.add("c", count: 3)
        #expect(values.counts == ["a": 3, "c": 1])
        #expect(values.repeated == ["a"])
        values.add("c", count: 9)
        #expect(values.repeated == ["c", "a"])
    }
}
