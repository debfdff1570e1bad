@testable import StubMatching

/// A pattern, a tab and a text. Neither traps, the steps of a match are bounded, and the ways to ask agree.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRegex(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x09, maxSplits: 1, omittingEmptySubsequences: false)
    let pattern = String(decoding: parts[0], as: UTF8.self)
    let text = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : ""
    do throws(RegularExpression.SyntaxError) {
        for dot in [RegularExpression.Dot.anyScalar, .anyButLineBreaks] {
            let expression = try RegularExpression(pattern, dot: dot)
            // A small budget, so that a run takes milliseconds.
            var steps = 100_000
            do throws(RegularExpression.StepLimitExceeded) {
                let isWhole = try expression.matches(text, spending: &steps)
                let first = try expression.firstMatch(in: text, spending: &steps)
                precondition(!isWhole || first != nil, "a text that matches as a whole has a match")
                if let first { check(first, of: expression, in: text) }
            } catch {
                precondition(steps <= 0, "only an empty budget ends a match")
            }
            precondition(steps <= 100_000, "a match spends steps")
        }
    } catch {
        precondition(!error.message.isEmpty && error.position >= 0)
    }
    return 0
}

private func check(_ match: RegularExpression.Match, of expression: RegularExpression, in text: String) {
    precondition(match.range.lowerBound >= 0 && match.range.upperBound <= text.utf8.count, "it lies within the text")
    precondition(match.text == String(decoding: Array(text.utf8)[match.range], as: UTF8.self))
    precondition(expression.groupNames.values.allSatisfy { $0 < match.groups.count })
}
