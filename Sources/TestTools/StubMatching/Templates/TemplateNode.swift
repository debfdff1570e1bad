/// A part of a template.
indirect enum TemplateNode: Sendable {
    case text(String)
    case output(TemplateExpression, isEscaped: Bool)
    case block(TemplateBlock)
}

/// `{{#name …}} body {{else}} inverse {{/name}}`
struct TemplateBlock: Sendable {
    let subject: TemplateExpression
    /// The names after `as |…|`.
    let parameters: [String]
    let body: [TemplateNode]
    let inverse: [TemplateNode]
}

indirect enum TemplateExpression: Sendable {
    case literal(TemplateValue)
    case path(TemplatePath)
    case call(TemplateCall)
}

struct TemplateCall: Sendable {
    let name: String
    let helper: TemplateHelper
    let arguments: [TemplateExpression]
    let options: [Option]
    let compiled: Compiled?

    struct Option: Sendable {
        let name: String
        let value: TemplateExpression
    }

    /// A literal argument that is compiled when the template is read.
    enum Compiled: Sendable {
        case jsonPath(JSONPath)
        case expression(RegularExpression)
    }
}

/// A name with members, such as `request.query.q.[0]`, `../name` or `@index`.
struct TemplatePath: Sendable {
    /// The number of contexts that the path goes up.
    let ups: Int
    let kind: Kind
    let segments: [String]

    enum Kind: Sendable {
        /// The name is looked up in the context, then in the outer ones, and then among the variables.
        case name
        /// The path starts with `this`, `.` or `..`.
        case context
        /// `@index`, `@key`, `@first`, `@last`.
        case data
        /// `@root`
        case root
    }
}

/// Computes the value of a call. The text of a block is the value of a block's call.
typealias TemplateHelper = @Sendable (TemplateInvocation, inout TemplateRendering) throws -> TemplateValue
