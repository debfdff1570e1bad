/// A URL with placeholders in its path, query or fragment. Parameters can never supply the scheme, the host or the
/// port.
///
/// Each captured text is percent-encoded for its component. On resolution, the result is parsed and checked again,
/// unless the captured texts cannot have changed its destination. The literal text is kept in canonical form:
/// lower-case scheme, A-labels, and only characters that RFC 3986 allows in a URL.
public struct URLTemplate: Sendable, Hashable, CustomStringConvertible {
    public let template: Template
    /// The scheme, in lower case.
    public let scheme: String
    /// The host in ASCII; nil for a custom scheme.
    public let host: String?
    /// The names of the query items that the template sets itself.
    public let queryNames: Set<String>
    let hasQuery: Bool
    let hasFragment: Bool
    private let authority: Authority
    private let components: [Component]
    /// Whether the filled URL can fail to parse only because of its length, or because of a text that is not
    /// ``isHarmlessInPath(_:)``.
    private let staysReadable: Bool

    public var description: String { template.description }
    public var parameterNames: [String] { template.parameterNames }

    /// The URL component of a part. It determines how captured texts are encoded.
    private enum Component {
        /// The authority of a custom scheme, which is its first segment.
        case authority
        case path, query, fragment

        /// The characters that need no escape in this component, besides RFC 3986's unreserved characters.
        var characters: StaticString {
            switch self {
            case .authority: ""
            // Some servers treat `;` as a delimiter: `/..;/` as a step up, `a=1;b=2` as two items.
            case .path: "!$&'()*+,=:@"
            case .query: "!$()*,:@/?"
            case .fragment: "!$&'()*+,;=:@/?"
            }
        }
    }

    /// The expected authority of the filled URL, between `//` and the path.
    private enum Authority: Hashable {
        case web(port: UInt16?)
        /// A literal segment, in a custom scheme.
        case segment(String)
        /// A segment with a placeholder, in a custom scheme.
        case filled
        case absent

        init(of sample: DeepLink, isWrittenOut: Bool) {
            if sample.isWeb {
                self = .web(port: sample.port)
            } else if !isWrittenOut {
                self = .filled
            } else {
                self = sample.hasAuthoritySegment ? .segment(sample.segmentText(0)) : .absent
            }
        }

        func isThat(of link: DeepLink) -> Bool {
            switch self {
            case .web(let port): link.port == port
            case .segment(let text): link.hasAuthoritySegment && link.segmentText(0) == text
            case .filled: link.hasAuthoritySegment
            case .absent: !link.hasAuthoritySegment
            }
        }
    }

    /// Parses an absolute URL. The thrown `Template.SyntaxError` says what to write instead.
    public init(_ text: some StringProtocol) throws(Template.SyntaxError) {
        let written = try Template(text)
        func problem(_ problem: String) -> Template.SyntaxError {
            Template.SyntaxError(template: written.description, problem: problem)
        }
        guard case .literal(let head)? = written.parts.first, let (scheme, authorityEnd) = Self.head(of: head) else {
            throw problem("a destination must start with its scheme, as in https://example.com/{id} or yourapp://{id}.")
        }
        let isWeb = scheme == "http" || scheme == "https"
        if isWeb, authorityEnd == nil, written.parts.count > 1 {
            throw problem("a parameter cannot supply the host or port; write the host out, followed by '/'.")
        }
        components = Self.components(of: written, firstComponent: authorityEnd == nil ? .authority : .path)
        self.scheme = scheme
        let filled = Self.filled(written, components) { _ in "x" }
        let sample: DeepLink
        do {
            sample = try DeepLink.parse(filled)
        } catch {
            throw problem("with its parameters filled in, it is not a valid link: \(error.message)")
        }
        guard sample.bytes.count == filled.utf8.count else {
            throw problem("it begins or ends with white space; remove it.")
        }
        queryNames = Set(sample.query.compactMap { sample.name(of: $0, plus: .plus) })
        hasQuery = sample.rawQuery != nil
        hasFragment = sample.rawFragment != nil
        let authority = Authority(of: sample, isWrittenOut: authorityEnd != nil || written.parts.count == 1)
        self.authority = authority
        if let lookup = sample.host {
            let name: String
            do {
                name = try HostName(lookup).ascii
            } catch {
                throw problem("its host: \(error.message)")
            }
            host = name
            let port = sample.port.map { ":\($0)" } ?? ""
            let rest = String(decoding: head.utf8.dropFirst(authorityEnd ?? head.utf8.count), as: UTF8.self)
            template = Self.canonical(written, head: "\(scheme)://\(name)\(port)\(rest)")
        } else {
            host = nil
            template = Self.canonical(
                written,
                head: scheme + head[head.utf8.index(head.startIndex, offsetBy: scheme.utf8.count)...]
            )
        }
        staysReadable =
            authority != .filled
            && Self.isReadable(template, as: written, sample, components, scheme: scheme, host: host, authority)
    }

    /// Whether the URL with `x` for each parameter is parsed as the template says, and no parameter is in its
    /// authority.
    ///
    /// If so, every URL filled with harmless texts is as well. A text escaped for a path contains no `/`, `?` or `#`.
    /// Path, query and fragment therefore begin where they begin with `x`, and the escapes are well-formed and UTF-8.
    /// In a path, only control characters and dot segments can still be refused, and an empty text may make two slashes
    /// meet. In a query and a fragment, every escape is allowed.
    private static func isReadable(
        _ template: Template,
        as written: Template,
        _ sample: DeepLink,
        _ components: [Component],
        scheme: String,
        host: String?,
        _ authority: Authority
    ) -> Bool {
        // The sample was parsed from the written form, which is the canonical form of most templates.
        var sample = sample
        if template != written {
            guard let link = try? DeepLink.parse(filled(template, components, text: { _ in "x" })) else { return false }
            sample = link
        }
        return authority.isThat(of: sample) && sample.scheme == scheme && sample.host == host
    }

    /// Returns the template with another first literal and with all other literals percent-encoded as URL text.
    private static func canonical(_ written: Template, head: String) -> Template {
        let parts = written.parts.enumerated().map { index, part in
            guard case .literal(let literal) = part else { return part }
            var url: [UInt8] = []
            appendURLText((index == 0 ? head : literal).utf8, to: &url)
            // Shares the memory of the written text.
            guard !url.elementsEqual(literal.utf8) else { return part }
            return .literal(String(decoding: url, as: UTF8.self))
        }
        return Template(written.description, parts: parts)
    }

    /// Whether a filled URL, parsed, still leads where the template says: no captured text has become its host or port.
    func wrote(_ link: DeepLink) -> Bool {
        guard link.scheme == scheme, link.host == host else { return false }
        return authority.isThat(of: link)
    }

    /// The checks that a filled template still needs.
    enum Filled {
        /// Only the length must be checked.
        case readable
        /// The URL must be parsed, to check that it is a valid link and that the template ``wrote(_:)`` it.
        case unread
        /// A parameter is missing, or the URL is too long, so there is no URL.
        case incomplete
    }

    /// Appends the URL with the placeholders filled in.
    func append(to url: inout [UInt8], filledWith parameters: [CapturedParameter]) -> Filled {
        var isReadable = staysReadable
        for index in template.parts.indices {
            // A template can name a parameter thousands of times.
            guard url.count <= DeepLink.maximumLength else { return .incomplete }
            switch template.parts[index] {
            case .literal(let literal):
                url.append(utf8Of: literal)
            case .parameter(let name):
                guard let parameter = parameters.firstIndex(where: { $0.name == name }) else { return .incomplete }
                let component = components[index]
                if case .list(let segments) = parameters[parameter].value {
                    if segments.isEmpty { isReadable = false }
                    for index in segments.indices {
                        if index > 0 { url.append(UInt8(ascii: "/")) }
                        isReadable = Self.append(segments[index], to: &url, component) && isReadable
                    }
                } else {
                    isReadable = Self.append(parameters[parameter].text, to: &url, component) && isReadable
                }
            }
        }
        return isReadable ? .readable : .unread
    }

    /// Appends one captured text. Returns whether it is harmless in its component.
    private static func append(_ text: String, to url: inout [UInt8], _ component: Component) -> Bool {
        let start = url.count
        appendPercentEncoded(text.utf8, besides: component.characters, to: &url)
        return component == .path ? isHarmlessInPath(url[start...]) : true
    }

    /// Whether an encoded text has at least one character that is neither a dot nor a forbidden escape, and no escape
    /// of a slash, backslash or control character. Such a text cannot be part of a dot segment.
    private static func isHarmlessInPath(_ encoded: ArraySlice<UInt8>) -> Bool {
        var hasCharacter = false
        var index = encoded.startIndex
        while index < encoded.endIndex {
            switch encoded[index] {
            case UInt8(ascii: "."):
                index += 1
            case UInt8(ascii: "%"):
                guard encoded.endIndex - index > 2, let high = hexValue(encoded[index + 1]),
                    let low = hexValue(encoded[index + 2])
                else { return false }
                switch high << 4 | low {
                case ..<0x20, 0x7F, UInt8(ascii: "/"), UInt8(ascii: "\\"): return false
                default: hasCharacter = true
                }
                index += 3
            default:
                hasCharacter = true
                index += 1
            }
        }
        return hasCharacter
    }

    private static func components(of template: Template, firstComponent: Component) -> [Component] {
        var component = firstComponent
        var slashes = 0
        return template.parts.map { part in
            guard case .literal(let literal) = part else { return component }
            for byte in literal.utf8 {
                switch (byte, component) {
                case (UInt8(ascii: "#"), _): component = .fragment
                case (UInt8(ascii: "?"), .authority), (UInt8(ascii: "?"), .path): component = .query
                case (UInt8(ascii: "/"), .authority):
                    slashes += 1
                    if slashes == 3 { component = .path }
                default: break
                }
            }
            return component
        }
    }

    /// Returns the URL with a text for each placeholder.
    private static func filled(_ template: Template, _ components: [Component], text: (String) -> String) -> String {
        var url: [UInt8] = []
        for (part, component) in zip(template.parts, components) {
            switch part {
            case .literal(let literal): url.append(utf8Of: literal)
            case .parameter(let name): appendPercentEncoded(text(name).utf8, besides: component.characters, to: &url)
            }
        }
        return String(decoding: url, as: UTF8.self)
    }

    /// Returns the scheme of a template's first literal, and the end of the authority if it lies within the literal.
    private static func head(of text: String) -> (scheme: String, authorityEnd: Int?)? {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        var scheme: [UInt8] = []
        for (index, byte) in bytes[..<colon].enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): scheme.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): scheme.append(byte | 0x20)
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                guard index > 0 else { return nil }
                scheme.append(byte)
            default: return nil
            }
        }
        let rest = bytes[(colon + 1)...]
        guard rest.starts(with: Array("//".utf8)) else { return (String(decoding: scheme, as: UTF8.self), colon + 1) }
        let authorityEnd = rest.dropFirst(2).firstIndex { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        }
        return (String(decoding: scheme, as: UTF8.self), authorityEnd)
    }
}
