/// An element of an XML document.
package struct XMLElement {
    package var name: String
    package var line: Int
    /// The attributes, by their name after the namespace prefix.
    package var attributes: [String: String]
    package var children: [XMLElement] = []
    /// The text directly in the element, without that of its children.
    package var text = ""

    package func descendants(named name: String) -> [XMLElement] {
        children.flatMap { ($0.name == name ? [$0] : []) + $0.descendants(named: name) }
    }
}

/// Reads the subset of XML that manifests and property lists use: elements, attributes, text and comments.
package struct XMLElementReader {
    private var bytes: ArraySlice<UInt8>
    private var line = 1

    private static let deepest = 64
    package static let maximumBytes = 1 << 22

    /// A property list names its document type. It declares no entities, so it can be skipped.
    package enum DocumentType {
        case refused, skipped
    }

    package static func parse(
        _ bytes: [UInt8],
        documentType: DocumentType = .refused
    ) throws(AndroidManifest.SyntaxError) -> XMLElement {
        guard bytes.count <= maximumBytes else {
            throw AndroidManifest.SyntaxError(line: 1, problem: "The file has more than \(maximumBytes) bytes.")
        }
        var reader = XMLElementReader(bytes: bytes[...])
        if reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.bytes = reader.bytes.dropFirst(3) }
        _ = try reader.text()
        if documentType == .skipped, reader.bytes.starts(with: "<!DOCTYPE".utf8) {
            guard let end = reader.bytes.firstIndex(where: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "[") }),
                reader.bytes[end] == UInt8(ascii: ">")
            else { throw reader.error("A document type with declarations is not supported.") }
            reader.advance(end + 1 - reader.bytes.startIndex)
            _ = try reader.text()
        }
        if reader.bytes.starts(with: "<!".utf8) { throw reader.error("A document type is not supported.") }
        guard reader.bytes.first == UInt8(ascii: "<") else { throw reader.error("There is no element.") }
        return try reader.element(depth: 0)
    }

    private init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    private func error(_ problem: String) -> AndroidManifest.SyntaxError {
        AndroidManifest.SyntaxError(line: line, problem: problem)
    }

    private mutating func advance(_ count: Int) {
        line += bytes.prefix(count).count { $0 == UInt8(ascii: "\n") }
        bytes = bytes.dropFirst(count)
    }

    /// Reads the text up to the next tag, without comments and instructions.
    private mutating func text() throws(AndroidManifest.SyntaxError) -> String {
        var text = ""
        while !bytes.isEmpty {
            if bytes.starts(with: "<!--".utf8) {
                try skip(past: "-->")
            } else if bytes.starts(with: "<?".utf8) {
                try skip(past: "?>")
            } else if bytes.starts(with: "<![CDATA[".utf8) {
                let before = bytes
                try skip(past: "]]>")
                let data = before[before.index(before.startIndex, offsetBy: 9)..<(bytes.startIndex - 3)]
                text += String(decoding: data, as: UTF8.self)
            } else if bytes.first == UInt8(ascii: "<") {
                return text
            } else {
                let end = bytes.firstIndex(of: UInt8(ascii: "<")) ?? bytes.endIndex
                text += Self.unescaped(String(decoding: bytes[..<end], as: UTF8.self))
                advance(end - bytes.startIndex)
            }
        }
        return text
    }

    private mutating func skip(past end: String) throws(AndroidManifest.SyntaxError) {
        let pattern = Array(end.utf8)
        var place = bytes.startIndex
        while place + pattern.count <= bytes.endIndex {
            if bytes[place..<(place + pattern.count)].elementsEqual(pattern) {
                return advance(place + pattern.count - bytes.startIndex)
            }
            place += 1
        }
        throw error("'\(end)' is missing.")
    }

    private mutating func skipSpace() { advance(bytes.prefix { " \t\r\n".utf8.contains($0) }.count) }

    private mutating func name() throws(AndroidManifest.SyntaxError) -> String {
        let name = bytes.prefix { !" \t\r\n=/><\"'".utf8.contains($0) }
        guard !name.isEmpty else { throw error("A name is missing.") }
        advance(name.count)
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func element(depth: Int) throws(AndroidManifest.SyntaxError) -> XMLElement {
        guard depth < Self.deepest else { throw error("Elements are nested too deeply.") }
        advance(1)
        var element = XMLElement(name: "", line: line, attributes: [:])
        element.name = try name()
        while true {
            skipSpace()
            if bytes.starts(with: "/>".utf8) {
                advance(2)
                return element
            }
            if bytes.first == UInt8(ascii: ">") { break }
            let name = try name()
            element.attributes[name.split(separator: ":").last.map(String.init) ?? name] = try value()
        }
        advance(1)
        while true {
            element.text += try text()
            if bytes.starts(with: "<!".utf8) { throw error("A document type is not supported.") }
            guard !bytes.isEmpty else { throw error("The element '\(element.name)' has no end.") }
            guard bytes.starts(with: "</".utf8) else {
                element.children.append(try self.element(depth: depth + 1))
                continue
            }
            advance(2)
            let end = try name()
            guard end == element.name else { throw error("'</\(end)>' ends the element '\(element.name)'.") }
            skipSpace()
            guard bytes.first == UInt8(ascii: ">") else { throw error("A tag has no '>'.") }
            advance(1)
            return element
        }
    }

    private mutating func value() throws(AndroidManifest.SyntaxError) -> String {
        skipSpace()
        guard bytes.first == UInt8(ascii: "=") else { throw error("An attribute has no value.") }
        advance(1)
        skipSpace()
        guard let quote = bytes.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw error("An attribute's value has no quotes.")
        }
        advance(1)
        guard let end = bytes.firstIndex(of: quote) else { throw error("An attribute's value has no end.") }
        let text = bytes[..<end]
        advance(text.count + 1)
        return Self.unescaped(String(decoding: text, as: UTF8.self))
    }

    private static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[mark...]
            guard let end = rest.firstIndex(of: ";") else { break }
            let name = rest[rest.index(after: mark)..<end]
            if let character = character(String(name)) {
                result.unicodeScalars.append(character)
            } else {
                result += rest[...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ entity: String) -> Unicode.Scalar? {
        let named: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        if let scalar = named[entity] { return scalar }
        guard entity.hasPrefix("#") else { return nil }
        let isHex = entity.hasPrefix("#x")
        return UInt32(entity.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }
}
