@testable import LinkRouting
@testable import StubMatching

private typealias Template = StubMatching.Template

/// A template, a tab and the body that it sees. Neither traps, and steps and output are bounded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTemplate(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x09, maxSplits: 1, omittingEmptySubsequences: false)
    let template: Template
    do throws(Template.SyntaxError) {
        template = try Template(String(decoding: parts[0], as: UTF8.self))
    } catch {
        precondition(!error.message.isEmpty && error.position >= 0)
        return 0
    }
    let body = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : ""
    let model = TemplateValue.members([
        "request": .members([
            "url": .text("/t/one/two?q=1&q=2"),
            "path": .path("/t/one/two"),
            "query": .members(["q": .values(["1", "2"])]),
            "headers": .object(TemplateObject([("X-H", .values(["hv"]))], ignoresCase: true)),
            "body": .text(body),
        ]),
        "parameters": .members(["n": .number("5"), "l": .list([.number("1"), .text("two")]), "e": .list([])]),
    ])
    // The same clock and the same random numbers give the same text.
    let texts = (0..<2).map { _ in
        var environment = TemplateEnvironment(now: Timestamp(milliseconds: 1_577_934_245_000), random: { 7 })
        return try? template.render(model, &environment)
    }
    precondition(texts[0] == texts[1], "a rendering can be repeated")
    precondition((texts[0]?.utf8.count ?? 0) <= Template.maximumOutput)
    return 0
}
