@testable import LinkRouting

/// The first line is a pattern, the rest a link's path. Neither traps, and the index agrees with the pattern.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPattern(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: lines[0], as: UTF8.self)
    _ = try? HostPattern(text)
    _ = try? Template(text)
    _ = try? URLTemplate(text)
    _ = try? ParameterType(text)
    _ = Version(text)
    _ = LanguageTag(text)
    if let instant = Timestamp(text) { precondition(Timestamp(instant.description) == instant) }
    guard let pattern = try? RoutePattern(text), let id = RouteID("fuzzed"), lines.count == 2,
        let link = try? DeepLink.parse(Array("https://go.acme.com/".utf8) + lines[1])
    else { return 0 }
    for letterCase in [LetterCase.sensitive, .ignored] {
        let route = Route(id: id, path: pattern, letterCase: letterCase)
        var parts = LinkParts()
        let found = RouteIndex([route]).smallestRank(for: link, (), &parts) { _, _, _, _ in true }
        precondition((found == 0) == (pattern.captures(in: link, letterCase) != nil))
    }
    return 0
}
