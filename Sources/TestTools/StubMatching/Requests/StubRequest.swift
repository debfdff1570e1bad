package import LinkRouting

/// A request as stubs see it. The parts that patterns compare are parsed once.
package struct StubRequest: Sendable {
    package let id: String
    package let method: String
    /// Path and query as sent; an absolute request target is reduced to them.
    package let target: String
    package let scheme: String
    package let host: String
    package let port: Int
    /// The URL as the client saw it.
    package let absoluteURL: String
    /// `HTTP/1.1`; nil for a request that was described and not received.
    package let version: String?
    package let headers: [HeaderField]
    /// The body, decompressed if the client sent it with gzip.
    package let body: [UInt8]
    /// The body as the client sent it, if that is compressed.
    package let encodedBody: [UInt8]?
    package let clientAddress: String
    package let receivedAt: Timestamp

    /// The target's part before `?`.
    package let path: String
    package let query: [NamedValues]
    package let cookies: [NamedValues]
    package let bodyText: String
    let bodyCoding: TextCoding

    package init(
        id: String,
        method: String,
        target: String,
        scheme: String = "http",
        host: String,
        port: Int,
        absoluteURL: String? = nil,
        version: String? = "HTTP/1.1",
        headers: [HeaderField],
        body: [UInt8],
        encodedBody: [UInt8]? = nil,
        clientAddress: String,
        receivedAt: Timestamp
    ) {
        self.id = id
        self.method = method
        self.target = target
        self.scheme = scheme
        self.host = host
        self.port = port
        let isDefaultPort = port <= 0 || (scheme == "http" && port == 80) || (scheme == "https" && port == 443)
        self.absoluteURL = absoluteURL ?? "\(scheme)://\(host)\(isDefaultPort ? "" : ":\(port)")\(target)"
        self.version = version
        self.headers = headers
        self.body = body
        self.encodedBody = encodedBody
        self.clientAddress = clientAddress
        self.receivedAt = receivedAt
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = mark.map { String(target[..<$0]) } ?? target
        query = mark.map { queryParameters(target[target.utf8.index(after: $0)...]) } ?? []
        cookies = parsedCookies(headers.lazy.filter { $0.has(name: "cookie") }.map(\.value))
        bodyCoding = TextCoding(contentType: headers.first { $0.has(name: "content-type") }?.value)
        bodyText = bodyCoding.text(body)
    }

    /// The values of all headers with this name, ignoring case.
    package func headerValues(_ name: String) -> [String] {
        headers.lazy.filter { $0.has(name: name) }.map(\.value)
    }

    package func header(_ name: String) -> String? { headers.first { $0.has(name: name) }?.value }

    /// The decoded fields of a form body.
    package var formFields: [NamedValues] {
        guard header("content-type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            return []
        }
        return queryParameters(bodyText[...])
    }
}

package struct HeaderField: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// A header such as `Accept: text/html`; nil for a text of another form.
    package init?(line: String) {
        guard let colon = line.firstIndex(of: ":"), isHeaderName(String(line[..<colon])),
            !line.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 })
        else { return nil }
        self.init(String(line[..<colon]), line[line.index(after: colon)...].trimmingBlanks)
    }

    /// Whether the name equals `other`, ignoring the case of ASCII letters.
    package func has(name other: String) -> Bool { isEqualIgnoringASCIICase(name, other) }
}

/// A name of a query, a cookie or a form, with its values in order.
package struct NamedValues: Sendable, Hashable {
    package let name: String
    package var values: [String]
}

extension [NamedValues] {
    package func values(of name: String) -> [String]? { first { $0.name.isExactly(name) }?.values }

    mutating func add(_ value: String, to name: String) {
        if let index = firstIndex(where: { $0.name.isExactly(name) }) {
            self[index].values.append(value)
        } else {
            append(NamedValues(name: name, values: [value]))
        }
    }
}

/// The maximum number of parameters, cookies or parts of a request. Further ones are ignored.
let maximumNamedValues = 2_000

func isEqualIgnoringASCIICase(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).allSatisfy { lowercasedASCII($0) == lowercasedASCII($1) }
}

func lowercasedASCII(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

/// Splits a query or a form body into names and decoded values: `+` is a space, and a malformed `%` is unchanged.
func queryParameters(_ text: Substring) -> [NamedValues] {
    guard !text.isEmpty else { return [] }
    var parameters: [NamedValues] = []
    for pair in text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: maximumNamedValues).prefix(maximumNamedValues)
    {
        let equals = pair.firstIndex(of: UInt8(ascii: "="))
        let name = formDecoded(pair[..<(equals ?? pair.endIndex)])
        let value = equals.map { formDecoded(pair[pair.index(after: $0)...]) } ?? ""
        parameters.add(value, to: name)
    }
    return parameters
}

/// Decodes percent escapes and `+`.
func formDecoded(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
        return String(decoding: bytes, as: UTF8.self)
    }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
        if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
            let high = hexadecimalValue(bytes[index + 1]), let low = hexadecimalValue(bytes[index + 2])
        {
            decoded.append(high << 4 | low)
            index += 3
        } else {
            decoded.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
            index += 1
        }
    }
    return String(decoding: decoded, as: UTF8.self)
}

func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// Splits the values of `Cookie` headers. Quotes around a value are removed.
private func parsedCookies(_ headers: some Sequence<String>) -> [NamedValues] {
    var cookies: [NamedValues] = []
    for header in headers {
        for pair in header.utf8.split(separator: UInt8(ascii: ";"), maxSplits: maximumNamedValues) {
            let text = String(Substring(pair)).trimmingBlanks
            guard let equals = text.firstIndex(of: "=") else { continue }
            var value = text[text.index(after: equals)...]
            if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
                value = value.dropFirst().dropLast()
            }
            cookies.add(String(value), to: String(text[..<equals]))
        }
    }
    return cookies
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    package var trimmingBlanks: String {
        let bytes = Array(utf8)
        guard let start = bytes.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
            let end = bytes.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return "" }
        return String(decoding: bytes[start...end], as: UTF8.self)
    }
}
