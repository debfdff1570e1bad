package import LinkRouting

/// An error in a document of the admin API: an error code of WireMock, a JSON pointer and advice.
package struct MappingError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int
    package let title: String
    /// JSON pointer of the value; nil if the document is no JSON.
    package let pointer: String?
    package let detail: String?
    package let position: JSONNode.Position

    /// The code of a document with a wrong value or wrong syntax.
    package static let invalidValue = 10
    package static let unknownScenarioState = 11
    package static let notRecording = 30

    package init(
        code: Int = invalidValue,
        title: String = "Error parsing JSON",
        pointer: String?,
        detail: String?,
        position: JSONNode.Position = .unknown
    ) {
        self.code = code
        self.title = title
        self.pointer = pointer
        self.detail = detail
        self.position = position
    }

    /// The error of a text that is no JSON. Its pointer names the innermost list or object that is still open.
    package init(_ error: JSONSyntaxError, in bytes: some Collection<UInt8>) {
        let pointer = openPointer(at: error.offset, in: bytes)
        self.init(pointer: pointer.isEmpty ? nil : pointer, detail: error.message, position: error.position)
    }

    package var description: String {
        let line = position.line > 0 ? "line \(position.line), column \(position.column): " : ""
        let location = pointer.map { "\($0): " } ?? ""
        return "\(line)\(location)\(detail ?? title)"
    }

    /// The answer of the admin API: `{"errors":[…]}`.
    package var json: JSONNode { Self.json([self]) }

    package static func json(_ errors: [MappingError]) -> JSONNode {
        .object([
            "errors": .array(
                errors.map { error in
                    .object([
                        "code": .int(error.code),
                        "source": error.pointer == nil && error.detail == nil
                            ? nil : .object(["pointer": error.pointer.map(JSONNode.string)]),
                        "title": .string(error.title),
                        "detail": error.detail.map(JSONNode.string),
                    ])
                }
            )
        ])
    }
}

/// Returns the JSON pointer of the innermost list or object that is open before `end`, in a text whose part before
/// `end` is JSON.
private func openPointer(at end: Int, in bytes: some Collection<UInt8>) -> String {
    var open: [OpenValue] = []
    var string: [UInt8]?
    var isEscaped = false
    for byte in bytes.prefix(end) {
        if var text = string {
            switch byte {
            case _ where isEscaped:
                isEscaped = false
                text.append(byte)
                string = text
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""):
                if !open.isEmpty, open[open.count - 1].isObject, open[open.count - 1].awaitsKey {
                    open[open.count - 1].key = String(decoding: text, as: UTF8.self)
                }
                string = nil
            default:
                text.append(byte)
                string = text
            }
            continue
        }
        switch byte {
        case UInt8(ascii: "\""): string = []
        case UInt8(ascii: "{"): open.append(OpenValue(isObject: true))
        case UInt8(ascii: "["): open.append(OpenValue(isObject: false))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
        case UInt8(ascii: ":"): if !open.isEmpty { open[open.count - 1].awaitsKey = false }
        case UInt8(ascii: ","):
            guard !open.isEmpty else { continue }
            open[open.count - 1].awaitsKey = true
            open[open.count - 1].index += 1
        default: continue
        }
    }
    return open.dropLast().map { "/" + escapedForPointer($0.isObject ? $0.key : "\($0.index)") }.joined()
}

private struct OpenValue {
    let isObject: Bool
    var key = ""
    var index = 0
    var awaitsKey = true

    init(isObject: Bool) { self.isObject = isObject }
}

/// Escapes a key for a JSON pointer (RFC 6901).
package func escapedForPointer(_ key: String) -> String {
    guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return key }
    var escaped = ""
    for scalar in key.unicodeScalars {
        switch scalar {
        case "~": escaped += "~0"
        case "/": escaped += "~1"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
