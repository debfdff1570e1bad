package import LinkRouting

/// A response template. This version has no template engine: it takes texts without `{{` as they are and rejects the
/// rest, so that no stub answers with unfilled braces.
package struct Template: Sendable {
    package struct SyntaxError: Error, CustomStringConvertible {
        package let description: String
    }

    private let text: String

    package init(_ text: String) throws(SyntaxError) {
        guard !text.contains("{{") else {
            throw SyntaxError(description: "response templates are not supported yet; write the text without '{{'.")
        }
        self.text = text
    }

    package func render(_ model: TemplateValue, _ environment: inout TemplateEnvironment) throws -> String { text }
}

/// What a template can read.
package enum TemplateValue: Sendable { case null }

/// Time and chance of a template.
package struct TemplateEnvironment: Sendable {
    package init(now: Timestamp, random: @escaping @Sendable () -> UInt64) {}
}
