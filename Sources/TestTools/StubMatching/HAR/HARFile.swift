package import LinkRouting

/// Requests with their answers in the HTTP Archive format (HAR 1.2), which browsers and proxies export.
package struct HARFile: Sendable {
    package var entries: [Entry]
    /// Requests that cannot be used, and why.
    package private(set) var omitted: [Recording.Omission] = []

    package struct Entry: Sendable {
        package let startedAt: Timestamp
        package let milliseconds: Int
        package let method: String
        /// Scheme, host and port, as in `https://api.example.test`.
        package let origin: String
        /// Path and query.
        package let target: String
        package let requestHeaders: [HeaderField]
        package let requestBody: [UInt8]
        package let status: Int
        package let responseHeaders: [HeaderField]
        /// The body of the response after the content encoding was removed.
        package let responseBody: [UInt8]

        package init(
            startedAt: Timestamp,
            milliseconds: Int,
            method: String,
            origin: String,
            target: String,
            requestHeaders: [HeaderField],
            requestBody: [UInt8],
            status: Int,
            responseHeaders: [HeaderField],
            responseBody: [UInt8]
        ) {
            self.startedAt = startedAt
            self.milliseconds = milliseconds
            self.method = method
            self.origin = origin
            self.target = target
            self.requestHeaders = requestHeaders
            self.requestBody = requestBody
            self.status = status
            self.responseHeaders = responseHeaders
            self.responseBody = responseBody
        }

        /// The host of the origin, without a port.
        package var host: String {
            let authority = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...]
            guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
                return String(authority)
            }
            return String(authority[..<colon])
        }
    }

    package static let maximumBytes = 256 << 20

    /// A value takes about 100 bytes of memory.
    private static let limits = JSONReader.Limits(
        maximumBytes: maximumBytes,
        maximumDepth: 128,
        maximumValues: 4_000_000
    )

    package init(entries: [Entry]) { self.entries = entries }

    package init(_ bytes: some Collection<UInt8>) throws(MappingError) {
        let node: JSONNode
        do throws(JSONSyntaxError) {
            node = try JSONReader.parse(bytes, limits: Self.limits, duplicateKeys: .keep)
        } catch {
            throw MappingError(error, in: bytes)
        }
        let root = MappingField(node)
        guard let log = root["log"], let list = log["entries"] else {
            throw root.error("a HAR file has an object 'log' with a list 'entries'.")
        }
        entries = []
        for field in try list.list() {
            let (entry, reason) = try Self.entry(field)
            if let reason {
                omitted.append(
                    Recording.Omission(method: entry.method, url: entry.origin + entry.target, reason: reason)
                )
            } else {
                entries.append(entry)
            }
        }
    }

    private static func required(_ key: String, of field: MappingField) throws(MappingError) -> MappingField {
        guard let member = field[key] else { throw field.error("'\(key)' is missing.") }
        return member
    }

    /// An entry, and why it cannot be used.
    private static func entry(_ field: MappingField) throws(MappingError) -> (entry: Entry, reason: String?) {
        let request = try required("request", of: field)
        let response = try required("response", of: field)
        let started = try required("startedDateTime", of: field)
        guard let startedAt = Timestamp(try started.text()) else {
            throw started.error("write a time such as 2026-01-01T10:00:00.000Z.")
        }
        let url = try required("url", of: request)
        let method = try required("method", of: request).text()
        let (origin, target) = try parts(of: url)
        let status = try response["status"]?.int(in: 0...999) ?? 0
        let (body, reason) = try body(response)
        let entry = Entry(
            startedAt: startedAt,
            milliseconds: Int(try field["time"]?.double(in: -1...86_400_000) ?? 0),
            method: method,
            origin: origin ?? "",
            target: target,
            requestHeaders: try requestHeaders(request),
            requestBody: try requestBody(request),
            status: status,
            responseHeaders: try headers(response).filter { !$0.has(name: "content-encoding") },
            responseBody: body
        )
        if origin == nil { return (entry, "its URL is not one of http or https") }
        guard isHeaderName(method) else { throw request.error("'method' is no HTTP method.") }
        switch status {
        case 0: return (entry, "it has no answer")
        case 101: return (entry, "it is a WebSocket")
        case 1..<200: return (entry, "its answer has the status \(status)")
        default: return (entry, reason)
        }
    }

    /// Origin and target of a URL; the origin is nil for other schemes than http and https.
    private static func parts(of field: MappingField) throws(MappingError) -> (origin: String?, target: String) {
        let url = try field.text()
        guard !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw field.error("a URL has no blanks; write them as %20.")
        }
        guard let scheme = url.firstRange(of: "://"),
            ["http", "https"].contains(url[..<scheme.lowerBound].lowercased())
        else { return (nil, url) }
        let rest = url[scheme.upperBound...].prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard !authority.isEmpty else { throw field.error("the URL has no host.") }
        let target = rest[end...]
        return (
            url[..<scheme.upperBound].lowercased() + authority.lowercased(),
            target.hasPrefix("/") ? String(target) : "/" + target
        )
    }

    /// The headers, without the pseudo-headers of HTTP/2.
    private static func headers(_ field: MappingField) throws(MappingError) -> [HeaderField] {
        var headers: [HeaderField] = []
        for header in try field["headers"]?.list() ?? [] {
            let name = try required("name", of: header).text()
            let value = try header["value"]?.text() ?? ""
            guard !name.hasPrefix(":") else { continue }
            guard isHeaderName(name) else { throw header.error("'name' is not the name of a header.") }
            // Chrome joins the values of a repeated header with line breaks.
            for line in value.split(separator: "\n", omittingEmptySubsequences: false) {
                headers.append(HeaderField(name, line.trimmingBlanks.filter { $0 != "\r" && $0 != "\0" }))
            }
        }
        return headers
    }

    /// The headers, with the type of the body if only the body states it.
    private static func requestHeaders(_ request: MappingField) throws(MappingError) -> [HeaderField] {
        let headers = try headers(request)
        guard let type = try request["postData"]?["mimeType"]?.text(), !type.isEmpty,
            !headers.contains(where: { $0.has(name: "content-type") })
        else { return headers }
        return headers + [HeaderField("Content-Type", type)]
    }

    private static func requestBody(_ request: MappingField) throws(MappingError) -> [UInt8] {
        guard let posted = request["postData"] else { return [] }
        if let text = posted["text"], try !text.text().isEmpty { return try decoded(text, posted["encoding"]) }
        var pairs: [String] = []
        for parameter in try posted["params"]?.list() ?? [] where parameter["fileName"] == nil {
            let value = try parameter["value"]?.text() ?? ""
            pairs.append("\(formEncoded(try required("name", of: parameter).text()))=\(formEncoded(value))")
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    /// The body of an answer, and why it is missing.
    private static func body(_ response: MappingField) throws(MappingError) -> (body: [UInt8], reason: String?) {
        guard let content = response["content"] else { return ([], nil) }
        if let text = content["text"] { return (try decoded(text, content["encoding"]), nil) }
        let size = try content["size"]?.double(in: -1...1e15) ?? 0
        return ([], size > 0 ? "the file does not contain its body; export it with content" : nil)
    }

    private static func decoded(_ text: MappingField, _ encoding: MappingField?) throws(MappingError) -> [UInt8] {
        switch try encoding?.text().lowercased() ?? "" {
        case "": return Array(try text.text().utf8)
        case "base64":
            guard let bytes = Base64.decode(try text.text()) else { throw text.error("this is no Base64.") }
            return bytes
        case let name: throw text.error("the encoding '\(name)' is not one of HAR; write base64, or leave it out.")
        }
    }
}

/// Encodes a name or a value of a form.
private func formEncoded(_ text: String) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "*"):
            encoded.append(byte)
        case 0x20: encoded.append(UInt8(ascii: "+"))
        default:
            let digits = Array("0123456789ABCDEF".utf8)
            encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: encoded, as: UTF8.self)
}
