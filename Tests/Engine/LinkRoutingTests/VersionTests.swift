import LinkRouting
import Testing

struct VersionTests {
    @Test func versionsSortAsInSemVer() throws {
        let sorted = [
            "0", "0.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1", "1", "1.0.1", "1.2", "1.10", "2.0-0", "2", "17.4", "18446744073709551615",
        ].map { Version($0) }
        for (index, left) in sorted.enumerated() {
            for (other, right) in sorted.enumerated() {
                let (left, right) = (try #require(left), try #require(right))
                #expect((left < right) == (index < other), "\(left) < \(right)")
                #expect((left == right) == (index == other), "\(left) == \(right)")
            }
        }
    }

    @Test(arguments: [
        ("1", "1.0"), ("1.0.0", "1"), ("0", "0.0"), ("01.2", "1.2"), ("1.0+build.7", "1.0"), ("1.0-rc.1+x", "1.0-rc.1"),
        ("1.0.0.0.0-a", "1-a"),
    ]) func equalVersionsHashAlike(_ left: String, _ right: String) throws {
        let (left, right) = (try #require(Version(left)), try #require(Version(right)))
        #expect(left == right && Set([left, right]).count == 1)
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "v1", "1.a", "-1", "+1", "1-", "1+", "1-a..b", "1-01", "1-é", "1 ", " 1",
        "1.2\u{301}", "١",
        "1-a+", "18446744073709551616", "1-18446744073709551616", String(repeating: "1.", count: 64) + "1",
    ]) func otherTextIsNotAVersion(_ text: String) {
        #expect(Version(text) == nil)
    }

    @Test func versionIsWrittenAsItWasRead() {
        #expect(Version("01.2.0+x")?.description == "01.2.0+x")
    }
}
