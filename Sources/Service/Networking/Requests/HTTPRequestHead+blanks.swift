package import NIOHTTP1

extension HTTPRequestHead {
    /// The head without the blanks around the values of its fields, which are no part of them (RFC 9110 §5.5). NIO's
    /// decoder keeps those at the end.
    package var trimmingFieldValues: HTTPRequestHead {
        guard headers.contains(where: { isBlank($0.value.utf8.first) || isBlank($0.value.utf8.last) }) else {
            return self
        }
        var head = self
        head.headers = HTTPHeaders(headers.map { ($0.name, trimmed($0.value)) })
        return head
    }
}

private func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

private func trimmed(_ value: String) -> String {
    let bytes = value.utf8
    guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(Substring(bytes[first...last]))
}
