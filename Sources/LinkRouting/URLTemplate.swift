/// A URL with parameters in its path, query or fragment; they can never supply the scheme, the host or the port.
///
/// Each captured text is percent-encoded for its place. The result is parsed and checked again when a link resolves. What is
/// written out is kept in its canonical form: lower-case scheme, A-labels, and only characters that RFC 3986 lets a URL have.
public struct URLTemplate: Sendable, Hashable, CustomStringConvertible {
    public let template: Template
    /// Lower case.
    public let scheme: String
    /// In ASCII; nil for a custom scheme.
    public let host: String?
    /// The names of the query items that the template itself sets.
    public let queryNames: Set<String>
    private let authority: Authority
    private let places: [Place]

    public var description: String { template.description }
    public var parameterNames: [String] { template.parameterNames }

    /// Where in the URL a part stands, which decides how a captured text is encoded.
    private enum Place {
        /// Of a custom scheme, whose host is its first segment.
        case authority
        case path, query, fragment

        /// What needs no escape here besides RFC 3986's unreserved characters.
        var characters: StaticString {
            switch self {
            case .authority: ""
            // Some servers read `;` as a delimiter: `/..;/` as a step up, `a=1;b=2` as two items.
            case .path: "!$&'()*+,=:@"
            case .query: "!$()*,:@/?"
            case .fragment: "!$&'()*+,;=:@/?"
            }
        }
    }

    /// What a finished URL has between `//` and its path.
    private enum Authority: Hashable {
        case web(port: UInt16?)
        /// Of a custom scheme: a segment that is written out.
        case segment(String)
        /// Of a custom scheme: a segment with a parameter in it.
        case filled
        case absent

        init(of sample: Link, isWrittenOut: Bool) {
            if sample.isWeb {
                self = .web(port: sample.port)
            } else if !isWrittenOut {
                self = .filled
            } else {
                self = sample.hasAuthoritySegment ? .segment(sample.segmentText(0)) : .absent
            }
        }
    }

    /// Reads an absolute URL; `Template.SyntaxError` says what to write instead.
    public init(_ text: some StringProtocol) throws(Template.SyntaxError) {
        let written = try Template(text)
        func problem(_ problem: String) -> Template.SyntaxError {
            Template.SyntaxError(template: written.description, problem: problem)
        }
        guard case .literal(let head)? = written.parts.first, let (scheme, authorityEnd) = Self.head(of: head) else {
            throw problem("a destination starts with its scheme, as in https://example.com/{id} or yourapp://{id}.")
        }
        let isWeb = scheme == "http" || scheme == "https"
        if isWeb, authorityEnd == nil, written.parts.count > 1 {
            throw problem("a parameter can never supply the host or port; write the host out and a / after it.")
        }
        places = Self.places(of: written, firstPlace: authorityEnd == nil ? .authority : .path)
        self.scheme = scheme
        let sample: Link
        do {
            sample = try Link.parse(Self.filled(written, places) { _ in "x" })
        } catch {
            throw problem("with its parameters filled in it is not a link: \(error.message)")
        }
        queryNames = Set(sample.query.compactMap { sample.name(of: $0, plus: .plus) })
        authority = Authority(of: sample, isWrittenOut: authorityEnd != nil || written.parts.count == 1)
        guard let lookup = sample.host else {
            host = nil
            template = Self.canonical(
                written,
                head: scheme + head[head.utf8.index(head.startIndex, offsetBy: scheme.utf8.count)...]
            )
            return
        }
        let name: String
        do {
            name = try HostName(lookup).ascii
        } catch {
            throw problem("its host is \(error.message)")
        }
        host = name
        let port = sample.port.map { ":\($0)" } ?? ""
        let rest = String(decoding: head.utf8.dropFirst(authorityEnd ?? head.utf8.count), as: UTF8.self)
        template = Self.canonical(written, head: "\(scheme)://\(name)\(port)\(rest)")
    }

    /// The template with another first text, and with every other text in the characters of a URL.
    private static func canonical(_ written: Template, head: String) -> Template {
        let parts = written.parts.enumerated().map { index, part in
            guard case .literal(let literal) = part else { return part }
            var url: [UInt8] = []
            appendURLText((index == 0 ? head : literal).utf8, to: &url)
            return .literal(String(decoding: url, as: UTF8.self))
        }
        return Template(written.description, parts: parts)
    }

    /// Whether a finished URL, parsed, still goes where the template says: no captured text has become its host or port.
    func wrote(_ link: Link) -> Bool {
        guard link.scheme == scheme, link.host == host else { return false }
        return switch authority {
        case .web(let port): link.port == port
        case .segment(let text): link.hasAuthoritySegment && link.segmentText(0) == text
        case .filled: link.hasAuthoritySegment
        case .absent: !link.hasAuthoritySegment
        }
    }

    /// The URL with each parameter's text in its place; nil when `value` has none for one of them.
    func filled(by value: (String) -> Resolution.Parameter?) -> String? {
        var missing = false
        let url = Self.filled(template, places) { name in
            guard let parameter = value(name) else {
                missing = true
                return ""
            }
            return parameter.text
        } list: { name in
            guard case .list(let segments)? = value(name)?.value else { return nil }
            return segments
        }
        return missing ? nil : url
    }

    private static func places(of template: Template, firstPlace: Place) -> [Place] {
        var place = firstPlace
        var slashes = 0
        return template.parts.map { part in
            guard case .literal(let literal) = part else { return place }
            for byte in literal.utf8 {
                switch (byte, place) {
                case (UInt8(ascii: "#"), _): place = .fragment
                case (UInt8(ascii: "?"), .authority), (UInt8(ascii: "?"), .path): place = .query
                case (UInt8(ascii: "/"), .authority):
                    slashes += 1
                    if slashes == 3 { place = .path }
                default: break
                }
            }
            return place
        }
    }

    private static func filled(
        _ template: Template,
        _ places: [Place],
        text: (String) -> String,
        list: (String) -> [String]? = { _ in nil }
    ) -> String {
        var url: [UInt8] = []
        for (part, place) in zip(template.parts, places) {
            switch part {
            case .literal(let literal):
                url.append(contentsOf: literal.utf8)
            case .parameter(let name):
                if let segments = list(name) {
                    for (index, segment) in segments.enumerated() {
                        if index > 0 { url.append(UInt8(ascii: "/")) }
                        appendPercentEncoded(segment.utf8, besides: place.characters, to: &url)
                    }
                } else {
                    appendPercentEncoded(text(name).utf8, besides: place.characters, to: &url)
                }
            }
        }
        return String(decoding: url, as: UTF8.self)
    }

    /// The scheme of a template's first text, and where the authority ends if the text says so.
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
        let delimiters: Set<UInt8> = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        return (String(decoding: scheme, as: UTF8.self), rest.dropFirst(2).firstIndex { delimiters.contains($0) })
    }
}

/// Appends what is a URL but for characters that RFC 3986 lets none have: those are escaped.
func appendURLText(_ text: some Sequence<UInt8>, to url: inout [UInt8]) {
    appendPercentEncoded(text, besides: "%:/?#@!$&'()*+,;=", to: &url)
}

/// Appends `text` with everything escaped but RFC 3986's unreserved characters and those in `besides`.
func appendPercentEncoded(_ text: some Sequence<UInt8>, besides: StaticString = "", to url: inout [UInt8]) {
    let besides = UnsafeBufferPointer(start: besides.utf8Start, count: besides.utf8CodeUnitCount)
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            url.append(byte)
        case let byte where besides.contains(byte):
            url.append(byte)
        default:
            url += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}
