import TestSupport
import Testing

@testable import LinkRouting

/// If a filled template needs no second parse, parsing it gives exactly what the template wrote.
struct QuickCheckTests {
    private static let heads = [
        "https://www.acme.com", "https://www.acme.com/", "HTTPS://WWW.acme.com./", "https://www.acme.com:443/",
        "http://www.acme.com:8443/a/", "https://bücher.example/", "https:", "acme:", "acme:/", "acme://", "acme:///",
        "acme:////", "ACME://h/", "acme://h-", "acme:h",
    ]
    private static let pieces = [
        "a", "a-b", "~", "%2F", "%5c", "%20", "%C3", "é", "|", ";", "'", "=", "+", "//", "/", "/", "?", "?q=", "&r=",
        "#",
        "#f", ":", "@", ".", "..", "%2e", "*", "[]", "\\{", "%", "%4", "{x}", "{x}", "{x}", "{y}", "{r}", "{r}",
    ]
    private static let captures = [
        "x", "7", "", ".", "..", "...", "/", "//", "\\", "a/..", "..\\a", "a/./b", "%", "%2e", "%2F", "\u{0}", "\n",
        "\u{7F}", "\u{85}", "é", "e\u{301}", "?", "#", "@", ":", "&", ";", " ", "\"", "<", "evil.example",
        "//evil.example",
        ".é", ". ", "~", "-", "{x}", "\u{202E}",
    ]

    private func text(_ pieces: [String], upTo count: Int, _ random: inout SeededGenerator) -> String {
        (0..<random.below(count + 1)).map { _ in random.pick(pieces) }.joined()
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func textThatNeedsNoSecondPassIsALink(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var readable = 0
        var unread = 0
        while readable < 2_000 {
            let written = random.pick(Self.heads) + text(Self.pieces, upTo: 6, &random)
            // Skips random texts that are not templates, which are most of them.
            guard let template = try? URLTemplate(written) else { continue }
            for _ in 0..<4 {
                let values: [CapturedParameter] = [
                    .text("x", text(Self.captures, upTo: 2, &random)),
                    .text("y", random.pick(Self.captures)),
                    .list("r", (0..<random.below(4)).map { _ in text(Self.captures, upTo: 2, &random) }),
                ]
                var url: [UInt8] = []
                switch template.append(to: &url, filledWith: values) {
                case .incomplete: Issue.record("\(written) has a parameter without a value")
                case .unread: unread += 1
                case .readable:
                    readable += 1
                    let link = try? DeepLink.parse(url)
                    let context = "\(written) of \(values) is \(String(decoding: url, as: UTF8.self))"
                    #expect(link.map(template.wrote) == true, "\(context)")
                    #expect((link?.rawQuery != nil) == template.hasQuery, "\(context)")
                    #expect((link?.rawFragment != nil) == template.hasFragment, "\(context)")
                }
            }
        }
        #expect(unread > 100, "the captures are not so tame that none has to be looked at")
    }

    /// Common captures need no second parse.
    @Test(arguments: ["123", "a-b_c", "été", "v1.2", "..a", "a b", "50%", "日本"])
    func usualTextNeedNotBeReadAgain(_ text: String) throws {
        for template in ["https://www.acme.com/p/{x}?q={x}#{x}", "acme://h/{x}", "acme:{x}"] {
            var url: [UInt8] = []
            #expect(try URLTemplate(template).append(to: &url, filledWith: [.text("x", text)]) == .readable)
        }
    }
}

extension CapturedParameter {
    fileprivate static func text(_ name: String, _ text: String) -> Self {
        Self(name: name, value: .string(text), text: text, location: .host)
    }

    fileprivate static func list(_ name: String, _ segments: [String]) -> Self {
        Self(
            name: name,
            value: .list(segments),
            text: segments.joined(separator: "/"),
            location: .rest(firstSegment: 0)
        )
    }
}

extension URLTemplate {
    /// The URL with each parameter replaced by its text; nil if `value` has none for one of them.
    func filled(by value: (String) -> CapturedParameter?) -> String? {
        var url: [UInt8] = []
        let parameters = parameterNames.compactMap(value)
        guard append(to: &url, filledWith: parameters) != .incomplete else { return nil }
        return String(decoding: url, as: UTF8.self)
    }
}
