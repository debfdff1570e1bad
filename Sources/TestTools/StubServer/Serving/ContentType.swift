/// The content type of a file, from the end of its name.
func contentType(of file: String) -> String {
    let ending = file.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.lowercased() } ?? ""
    return switch ending {
    case "html", "htm": "text/html"
    case "txt", "text": "text/plain"
    case "json": "application/json"
    case "js": "text/javascript"
    case "css": "text/css"
    case "xml": "application/xml"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "gif": "image/gif"
    case "webp": "image/webp"
    case "pdf": "application/pdf"
    default: "application/octet-stream"
    }
}

/// Decodes the percent escapes of a path; a `+` is unchanged.
func formDecodedPath(_ path: some StringProtocol) -> String {
    var decoded: [UInt8] = []
    var rest = Array(path.utf8)[...]
    while let byte = rest.popFirst() {
        let digits = rest.prefix(2)
        if byte == UInt8(ascii: "%"), digits.count == 2,
            let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        {
            decoded.append(value)
            rest = rest.dropFirst(2)
        } else {
            decoded.append(byte)
        }
    }
    return String(decoding: decoded, as: UTF8.self)
}
