/// An element of an XML document, without its text.
struct XMLElement {
    var name: String
    var line: Int
    /// The attributes, by their name after the namespace prefix.
    var attributes: [String: String]
    var children: [XMLElement] = []

    func descendants(named name: String) -> [XMLElement] {
        children.flatMap { ($0.name == name ? [$0] : []) + $0.descendants(named: name) }
    }
}

/// Reads the subset of XML that manifests use: elements, attributes, comments, and no document type.
struct XMLElementReader {
    private var bytes: ArraySlice<UInt8>
    private var line = 1

    private static let deepest = 64
    static let maximumBytes = 1 << 22

    static func parse(_ bytes: [UInt8]) throws(AndroidManifest.SyntaxError) -> XMLElement {
        guard bytes.count <= maximumBytes else {
            throw AndroidManifest.SyntaxError(line: 1, problem: "The file has more than \(maximumBytes) bytes.")
        }
        var reader = XMLElementReader(bytes: bytes[...])
        if reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.bytes = reader.bytes.dropFirst(3) }
        try reader.skipText()
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

    /// Skips text, comments, instructions and declarations up to the next tag.
    private mutating func skipText() throws(AndroidManifest.SyntaxError) {
        while !bytes.isEmpty {
            if bytes.starts(with: "<!--".utf8) {
                try skip(past: "-->")
            } else if bytes.starts(with: "<?".utf8) {
                try skip(past: "?>")
            } else if bytes.starts(with: "<![CDATA[".utf8) {
                try skip(past: "]]>")
            } else if bytes.starts(with: "<!".utf8) {
                throw error("A document type is not supported.")
            } else if bytes.first == UInt8(ascii: "<") {
                return
            } else {
                advance(bytes.firstIndex(of: UInt8(ascii: "<")).map { $0 - bytes.startIndex } ?? bytes.count)
            }
        }
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
            try skipText()
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
