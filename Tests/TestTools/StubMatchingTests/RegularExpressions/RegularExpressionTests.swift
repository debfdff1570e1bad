import StubMatching
import TestSupport
import Testing

/// Expectations are the answers of Java 17's `java.util.regex`.
struct RegularExpressionTests {
    @Test(arguments: [
        ("v[0-9]+", "v12", true), ("v[0-9]+", "xv12", false), ("a.*z", "a\nz", true), ("(?-s)a.*z", "a\nz", false),
        ("/a*+a", "/aaa", false), ("/\\p{Lower}+\\p{Punct}", "/abc!", true), ("/\\Qa.b\\E", "/axb", false),
        ("/\\Qa.b\\E", "/a.b", true), ("(a+)b\\1", "aabaa", true), ("(a+)b\\1", "aabaaa", false),
        ("(?<x>a|b)\\k<x>", "bb", true), ("(?i)abc", "aBC", true), ("(?i)é", "É", false), ("(?iu)é", "É", true),
        ("[a-z&&[^aeiou]]+", "xyz", true), ("[a-z&&[^aeiou]]+", "xaz", false), ("(?<=a)b|ab", "ab", true),
        ("(?<!\\$)\\d+", "12", true), ("a{2,3}", "aaaa", false), ("(ab){2}", "abab", true), ("(?>a|ab)c", "abc", false),
        ("[]a]+", "]a", true), ("a|b|", "", true), ("\\x41\\u0042\\0103", "ABC", true), ("\\R", "\r\n", true),
        ("(?x) a b # c", "ab", true), ("(?m)a$\\R^b", "a\nb", true), ("\\w+", "é", false), ("(?U)\\w+", "é", true),
        ("\\p{IsGreek}+", "αβ", true), ("\\p{InCyrillic}+", "да", true), ("\\P{L}+", "12", true), (".", "😀", true),
        ("[\\uD83D\\uDE00]", "😀", true), ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false), ("a{2}{3}", "aa", true),
    ])
    func wholeTextMatchesAsInJava(pattern: String, text: String, expected: Bool) throws {
        #expect(try RegularExpression(pattern).matches(text) == expected)
    }
}
