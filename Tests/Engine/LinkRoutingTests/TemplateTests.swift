import Testing

@testable import LinkRouting

struct TemplateTests {
    @Test(arguments: [
        ("", []), ("plain", []), ("{id}", ["id"]), ("a{id}b{x}{id}", ["id", "x"]), (#"\{id\}\\"#, []),
    ]) func namesAreListedOnce(_ text: String, _ names: [String]) throws {
        #expect(try Template(text).parameterNames == names)
    }

    @Test(arguments: [
        ("{", "'{' has no '}'"), ("}", "'}' has no '{'"), ("{}", "is not a parameter"), ("{a.b}", "is not a parameter"),
        ("{a:int}", "'{a:int}' is not a parameter; write {a}."), ("{{a}}", "write {a}."),
        ("{a-b}", "write {a_b}."), ("{a...}", "write {a}."), ("{a?}", "write {a}."),
        (#"\a"#, "write \\\\ for a backslash"), ("\\", "write \\\\ for a backslash"),
    ]) func malformedTemplateIsRefusedWithAdvice(_ text: String, _ hint: String) {
        let error = #expect(throws: Template.SyntaxError.self) { try Template(text) }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("{id}", "must start with its scheme"), ("//x.example/{id}", "must start with its scheme"),
        ("www.acme.com/{id}", "must start with its scheme"),
        ("{scheme}://x", "must start with its scheme"), ("https://{shop}.acme.com/", "cannot supply the host"),
        ("https://www.acme.com{path}", "cannot supply the host"),
        ("https://www.acme.com:{port}/", "cannot supply the host"),
        ("https://www.acme.com/../{id}", "it is not a valid link"),
        ("https://u@www.acme.com/", "it is not a valid link"),
        ("https://www.acme.com/a ", "it begins or ends with white space"),
        ("https://www.acme.com/{id}\n", "it begins or ends with white space"),
        ("https:///{id}", "it is not a valid link"), ("https://www.acme.com/ {id}", "it is not a valid link"),
    ]) func malformedURLTemplateIsRefusedWithAdvice(_ text: String, _ hint: String) {
        let error = #expect(throws: Template.SyntaxError.self) { try URLTemplate(text) }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }

    /// A captured text is escaped for its place in the URL, so that it can never leave it.
    @Test(arguments: [
        (
            "https://www.acme.com/{x}",
            "https://www.acme.com/a%2Fb%3Fc%23d&e=f+g%20%25%22%C3%A9"
        ),
        ("https://www.acme.com/?q={x}", "https://www.acme.com/?q=a/b?c%23d%26e%3Df%2Bg%20%25%22%C3%A9"),
        ("https://www.acme.com/#{x}", "https://www.acme.com/#a/b?c%23d&e=f+g%20%25%22%C3%A9"),
        ("acme://{x}", "acme://a%2Fb%3Fc%23d%26e%3Df%2Bg%20%25%22%C3%A9"), ("acme://h/{x}?{x}", nil),
    ]) func capturedTextCannotLeaveItsComponent(_ template: String, _ expected: String?) throws {
        let template = try URLTemplate(template)
        let parameter = CapturedParameter(name: "x", value: .string(""), text: "a/b?c#d&e=f+g %\"é", location: .host)
        let filled = template.filled { $0 == "x" ? parameter : nil }
        if let expected { #expect(filled == expected) }
        let link = try DeepLink.parse(try #require(filled))
        #expect(link.host == template.host && link.scheme == template.scheme)
    }

    @Test func restIsJoinedBySlashes() throws {
        let template = try URLTemplate("https://www.acme.com/docs/{path}?p={path}")
        let rest = CapturedParameter(
            name: "path",
            value: .list(["a b", "c/d"]),
            text: "a b/c/d",
            location: .rest(firstSegment: 1)
        )
        #expect(template.filled { _ in rest } == "https://www.acme.com/docs/a%20b/c%2Fd?p=a%20b/c/d")
    }

    @Test func missingParameterFillsNothing() throws {
        #expect(try URLTemplate("https://www.acme.com/{x}").filled { _ in nil } == nil)
    }
}
