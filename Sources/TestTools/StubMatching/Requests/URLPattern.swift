import LinkRouting

/// The way in which a pattern compares the request's target.
package struct URLPattern: Sendable {
    package enum Kind: Sendable {
        case any
        case url(String)
        case urlPattern(RegularExpression)
        case urlPath(String)
        case urlPathPattern(RegularExpression)
        case urlPathTemplate(PathTemplate)
    }

    package let kind: Kind
    /// The key of a mapping and its text.
    package let source: (key: String, text: String)?

    package static let any = URLPattern(kind: .any, source: nil)

    static let keys = ["url", "urlPattern", "urlPath", "urlPathPattern", "urlPathTemplate"]

    private init(kind: Kind, source: (String, String)?) {
        self.kind = kind
        self.source = source
    }

    /// Decodes the first of the five keys that the request pattern has.
    init(of request: MappingField) throws(MappingError) {
        guard let key = Self.keys.first(where: { request[$0] != nil }), let field = request[key] else {
            self = .any
            return
        }
        let text = try field.text()
        switch key {
        case "url": self.init(kind: .url(text), source: (key, text))
        case "urlPath": self.init(kind: .urlPath(text), source: (key, text))
        case "urlPattern":
            // WireMock points at the request here, since it compiles the pattern when the object is complete.
            self.init(kind: .urlPattern(try ValueMatcher.regularExpression(text, request)), source: (key, text))
        case "urlPathPattern":
            self.init(kind: .urlPathPattern(try ValueMatcher.regularExpression(text, request)), source: (key, text))
        default: self.init(kind: .urlPathTemplate(try PathTemplate(text, field)), source: (key, text))
        }
    }

    /// The path or target that the pattern compares exactly; nil for expressions.
    package var exactText: (text: String, isPath: Bool)? {
        switch kind {
        case .url(let text): (text, false)
        case .urlPath(let text): (text, true)
        default: nil
        }
    }

    package func matches(_ request: StubRequest) throws -> Bool {
        switch kind {
        case .any: true
        // Jetty removes an empty query from the target.
        case .url(let url):
            request.target.isExactly(url) || (request.target.hasSuffix("?") && request.path.isExactly(url))
        case .urlPattern(let pattern): try pattern.matches(request.target)
        case .urlPath(let path): request.path.isExactly(path)
        case .urlPathPattern(let pattern): try pattern.matches(request.path)
        case .urlPathTemplate(let template): template.values(in: request.path) != nil
        }
    }

    func distance(_ request: StubRequest) throws -> Double {
        guard try !matches(request) else { return 0 }
        return switch kind {
        case .url(let url): TextDistance.between(url, request.target)
        case .urlPath(let path): TextDistance.between(path, request.path)
        default: 1
        }
    }

    var isRegularExpression: Bool {
        switch kind {
        case .urlPattern, .urlPathPattern: true
        default: false
        }
    }

    /// The pattern as a comparison prints it.
    var expectation: String {
        guard let source else { return "(always)" }
        return switch kind {
        case .any, .url: source.text
        case .urlPattern: "[regex] \(source.text)"
        case .urlPath: "[path] \(source.text)"
        case .urlPathPattern: "[path regex] \(source.text)"
        case .urlPathTemplate: "[path template] \(source.text)"
        }
    }

    /// The advice of a comparison for a target that does not match.
    var advice: String {
        guard let text = source?.text else { return "" }
        var advice = ""
        if isRegularExpression, hasUnescapedQuestionMark(text) {
            advice += ". When using a regex, \"?\" should be \"\\\\?\""
        }
        if !text.hasPrefix("/") { advice += ". URLs must start with a /" }
        return advice
    }

    /// Whether the first question mark lacks the two backslashes that WireMock expects before it.
    private func hasUnescapedQuestionMark(_ text: String) -> Bool {
        guard let mark = text.firstIndex(of: "?") else { return false }
        return !text[..<mark].hasSuffix("\\\\")
    }
}
