import LinkRouting
import StubMatching
import Testing

/// Distances are the answers of `equalToJson` in WireMock 2.35.1. Values are equal when the distance is 0.
struct JSONEqualityTests {
    struct Case: Sendable {
        let expected: String
        let actual: String
        let options: JSONEquality.Options
        let distance: Double

        init(_ expected: String, _ actual: String, _ options: JSONEquality.Options, _ distance: Double) {
            (self.expected, self.actual, self.options, self.distance) = (expected, actual, options, distance)
        }
    }

    @Test(arguments: [
        Case(#"{"a":1}"#, #"{"a":2}"#, [], 0.5),
        Case(#"{"a":1}"#, #"{}"#, [], 0.5),
        Case(#"{"a":1}"#, #"{"b":1}"#, [], 1),
        Case(#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"b":3}"#, [], 0.5),
        Case(#"[1,2,3]"#, #"[1,2]"#, [], 0.25),
        Case(#"[1,2,3]"#, #"[1,2,4]"#, [], 0.25),
        Case(#"[1,2]"#, #"[1,2,3]"#, [], 0.25),
        Case(#"[1,2,3]"#, #"[3,2,1]"#, [], 0.5),
        Case(#"[1,2,3]"#, #"[4,5,6]"#, [.ignoresArrayOrder], 1.5),
        Case(#"[1,2,3]"#, #"[3,2,7]"#, [.ignoresArrayOrder], 0.25),
        Case(#"[1,2,3]"#, #"[3]"#, [.ignoresArrayOrder], 0.5),
        Case(#"[1]"#, #"[3,1,2]"#, [.ignoresArrayOrder], 0.5),
        Case(#"[1]"#, #"[3,1,2]"#, [.ignoresArrayOrder, .ignoresExtraElements], 0),
        Case(#"[1]"#, #"[3,1,2]"#, [.ignoresExtraElements], 0.25),
        Case(#"{"a":{"b":{"c":1}}}"#, #"{"a":{"b":{"c":2}}}"#, [], 0.166667),
        Case(#"{"a":{"b":{"c":1}}}"#, #"{"a":5}"#, [], 0.666667),
        Case(#"{"a":{"b":{"c":1}}}"#, #"{}"#, [], 0.666667),
        Case(#"1"#, #"2"#, [], 1),
        Case(#""a""#, #"1"#, [], 1),
        Case(#"{}"#, #"[]"#, [], 1),
        Case(#"{"a":[1,{"x":1}]}"#, #"{"a":[1,{"x":2}]}"#, [], 0.142857),
        Case(#"[{"a":1},{"b":2}]"#, #"[{"b":3},{"a":1}]"#, [.ignoresArrayOrder], 0.142857),
        Case(#"[{"a":1,"c":1},{"b":2}]"#, #"[{"b":3},{"a":2,"c":1}]"#, [.ignoresArrayOrder], 1.25),
        Case(#"{"a":"${json-unit.ignore}"}"#, #"{"a":1}"#, [], 0),
        Case(#"{"a":"${json-unit.ignore-element}"}"#, #"{"b":1}"#, [], 0.5),
        Case(#"{"a":"${json-unit.ignore-element}"}"#, #"{"a":1}"#, [], 0),
        Case(#"{"a":"${json-unit.any-string}"}"#, #"{"a":1}"#, [], 0.5),
        Case(##"{"a":"#{json-unit.any-string}"}"##, #"{"a":"x"}"#, [], 0),
        Case(#"{"a":"${json-unit.regex}[a-z]+"}"#, #"{"a":"x"}"#, [], 0),
        Case(#"{"a":"${json-unit.nope}"}"#, #"{"a":"x"}"#, [], 0.5),
        Case(#"{"a":"x${json-unit.any-string}"}"#, #"{"a":"x"}"#, [], 0.5),
        Case(#""${json-unit.any-string}""#, #""x""#, [], 0),
        Case(#"["${json-unit.any-number}",1]"#, #"[1,5]"#, [.ignoresArrayOrder], 0),
        Case(#"["${json-unit.any-number}",1]"#, #"[1,"x"]"#, [.ignoresArrayOrder], 0.333333),
        Case(#"{"a":1}"#, #"{"a":1.0}"#, [], 0),
        Case(#"{"a":1}"#, #"{"a":1e0}"#, [], 0),
        Case(#"{"a":1}"#, #"{"a":"1"}"#, [], 0.5),
        Case(#"{"a":null}"#, #"{}"#, [], 0.5),
        Case(#"{"a":null}"#, #"{"a":null}"#, [], 0),
        Case(#"{}"#, #"{"a":null}"#, [], 0.5),
        Case(#"{"a":1,"b":[1,2,3]}"#, #"[]"#, [], 1),
        Case(#"{"a":1,"b":[1,2,3]}"#, #"{"b":[1,2,3,4],"a":1}"#, [.ignoresExtraElements], 0),
        Case(#"{"a.b":1}"#, #"{"a.b":2}"#, [], 0.5),
        Case(#"{"a":true}"#, #"{"a":false}"#, [], 0.5),
        Case(#"{"a":{"b":1},"c":2}"#, #"{"a":{"b":1},"c":2,"d":{"e":1}}"#, [], 0.25),
        Case(#"{"a":[[1,2],[3,4]]}"#, #"{"a":[[4,3],[2,1]]}"#, [.ignoresArrayOrder], 0),
        Case(#"[1,1,2]"#, #"[1,2,2]"#, [.ignoresArrayOrder], 0.25),
        Case(#"[[1],[2],[3]]"#, #"[[3],[1],[4]]"#, [.ignoresArrayOrder], 0.1),
        Case(#"[1,2,3,4]"#, #"[4,3,9,8]"#, [.ignoresArrayOrder], 0.8),
        Case(#"[1,2,3,4]"#, #"[4,3]"#, [.ignoresArrayOrder], 0.4),
        Case(#"[1,2]"#, #"[4,3,1,2]"#, [.ignoresArrayOrder], 0.4),
    ])
    func distanceIsThatOfWireMock(test: Case) throws {
        let limits = JSONReader.Limits(maximumBytes: 1_000)
        let expected = try JSONReader.parse(test.expected, limits: limits)
        let actual = try JSONReader.parse(test.actual, limits: limits, duplicateKeys: .keep)
        let equality = try JSONEquality(expected: expected, options: test.options)
        #expect(abs(try equality.distance(to: actual) - test.distance) < 0.000_001)
        #expect(try equality.matches(actual) == (test.distance == 0))
    }

    @Test func aPlaceholderTakesAnotherElementIfItsOwnIsNeeded() throws {
        let expected: JSONNode = .array([.string("${json-unit.any-number}"), .int(1), .string("${json-unit.ignore}")])
        let equality = try JSONEquality(expected: expected, options: .ignoresArrayOrder)
        #expect(try equality.matches(.array([.int(1), .string("x"), .int(2)])))
        #expect(try !equality.matches(.array([.int(3), .string("x"), .int(2)])))
    }

    @Test func aLargeListWithoutOrderIsGivenUp() throws {
        let numbers = (0..<1_600).map { JSONNode.int($0) }
        let others = (0..<1_600).map { JSONNode.int($0 + 1_600) }
        let equality = try JSONEquality(expected: .array(numbers), options: .ignoresArrayOrder)
        #expect(try equality.matches(.array(numbers.shuffled())))
        #expect(throws: JSONEquality.StepLimitExceeded.self) { try equality.matches(.array(others)) }
    }

    @Test(arguments: ["${json-unit.regex}[", "${json-unit.matches:custom}x"])
    func aPlaceholderThatCannotBeUsedIsRefused(placeholder: String) {
        #expect(throws: JSONEquality.PlaceholderError.self) { try JSONEquality(expected: .string(placeholder)) }
    }

    @Test(arguments: [
        ("kitten", "sitting", 3.0 / 7), ("", "abc", 1.0), ("abc", "abc", 0.0), ("abc", "xyz", 1.0),
        ("flaw", "lawn", 0.5),
    ])
    func textDistanceIsProportional(left: String, right: String, expected: Double) {
        #expect(TextDistance.normalized(left, right) == expected)
        #expect(TextDistance.normalized(right, left) == expected)
    }
}
