package import LinkRouting

/// A response template with the syntax of Handlebars and the helpers of WireMock 2.35.1.
///
/// It is read once and rendered many times. Unknown helpers, unclosed blocks and wrong literal JSONPaths or regular
/// expressions are errors of the template, not of an answer.
package struct Template: Sendable {
    private let nodes: [TemplateNode]

    /// The maximum length of a template in UTF-8 bytes.
    package static let maximumLength = 4 << 20
    /// The maximum nesting depth of blocks and of calls in calls.
    package static let maximumDepth = 64
    /// The UTF-8 bytes that one rendering writes, the texts of its variables included.
    package static let maximumOutput = 16 << 20
    /// The steps of one rendering. Each node, argument and 16 bytes of an argument's text count as one.
    package static let steps = 2_000_000
    /// The steps of the regular expressions and JSONPaths of one rendering together.
    package static let matchingSteps = 20_000_000

    package init(_ text: String) throws(SyntaxError) {
        var parser = TemplateParser(text)
        nodes = try parser.parse()
    }

    package func render(_ model: TemplateValue, _ environment: inout TemplateEnvironment) throws -> String {
        var rendering = TemplateRendering(model: model, environment: environment)
        defer { environment = rendering.environment }
        return try rendering.text(of: nodes)
    }

    /// A text that is not a template.
    package struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The position of the error in Unicode scalars, from 0.
        package let position: Int
        /// The problem, and what to write instead.
        package let message: String

        package var description: String { "at character \(position + 1): \(message)" }
    }

    /// A rendering without a result.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }
}

/// The inputs of a rendering besides the request.
package struct TemplateEnvironment: Sendable {
    let now: Timestamp
    let hostName: String
    /// The offset from UTC in seconds and the short name of a time zone at an instant; nil for an unknown zone.
    let zone: @Sendable (String, Timestamp) -> (offset: Int, name: String)?
    var generator: Generator

    package init(
        now: Timestamp,
        random: @escaping @Sendable () -> UInt64,
        hostName: String = "localhost",
        zone: @escaping @Sendable (String, Timestamp) -> (offset: Int, name: String)? = { _, _ in nil }
    ) {
        self.now = now
        self.hostName = hostName
        self.zone = zone
        generator = Generator(word: random)
    }

    struct Generator: RandomNumberGenerator, Sendable {
        let word: @Sendable () -> UInt64

        mutating func next() -> UInt64 { word() }
    }
}
