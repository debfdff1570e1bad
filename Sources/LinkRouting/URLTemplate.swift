/// A URL with parameters in its path, query or fragment; they can never supply the scheme, the host or the port.
///
/// Each captured text is percent-encoded for its place. The result is parsed and checked again when a link resolves.
public struct URLTemplate: Sendable, Hashable, CustomStringConvertible {
    public let template: Template
    /// Lower case.
    public let scheme: String
    /// In look-up form; nil for a custom scheme.
    public let host: String?
    /// The names of the query items that the template itself sets.
    public let queryNames: Set<String>
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
            case .path: "!$&'()*+,;=:@"
            case .query: "!$'()*,;:@/?"
            case .fragment: "!$&'()*+,;=:@/?"
            }
        }
    }

    /// Reads an absolute URL; `Template.SyntaxError` says what to write instead.
    public init(_ text: some StringProtocol) throws(Template.SyntaxError) {
        template = try Template(text)
        func problem(_ problem: String) -> Template.SyntaxError {
            Template.SyntaxError(template: String(text), problem: problem)
        }
        guard case .literal(let head)? = template.parts.first, let (scheme, authorityEnd) = Self.head(of: head) else {
            throw problem("a destination starts with its scheme, as in https://example.com/{id} or yourapp://{id}.")
        }
        let isWeb = scheme == "http" || scheme == "https"
        if isWeb, authorityEnd == nil, template.parts.count > 1 {
            throw problem("a parameter can never supply the host or port; write the host out and a / after it.")
        }
        places = Self.places(of: template, firstPlace: authorityEnd == nil ? .authority : .path)
        self.scheme = scheme
        let sample: Link
        do {
            sample = try Link.parse(Self.filled(template, places) { _ in "x" })
        } catch {
            throw problem("with its parameters filled in it is not a link: \(error.message)")
        }
        host = sample.host
        queryNames = Set(sample.query.compactMap { sample.name(of: $0, plus: .plus) })
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
