import AppAssociation

/// A property list in XML, as Xcode projects contain it.
enum PropertyList {
    case dictionary([Member])
    case array([PropertyList])
    case string(String)
    case bool(Bool)
    /// A number, date or data, which no check needs.
    case other

    struct Member {
        let key: String
        let value: PropertyList
    }

    struct Problem: Error {
        let line: Int
        let message: String
    }

    init(_ bytes: [UInt8]) throws(Problem) {
        guard !bytes.starts(with: "bplist".utf8) else {
            throw Problem(line: 1, message: "It is a binary property list; run 'plutil -convert xml1' on it.")
        }
        let root: XMLElement
        do throws(AndroidManifest.SyntaxError) {
            root = try XMLElementReader.parse(bytes, documentType: .skipped)
        } catch {
            throw Problem(line: error.line, message: error.problem)
        }
        guard root.name == "plist", let value = root.children.first else {
            throw Problem(line: root.line, message: "It is not a property list.")
        }
        self.init(value)
    }

    private init(_ element: XMLElement) {
        switch element.name {
        case "dict":
            var members: [Member] = []
            var key: String?
            for child in element.children {
                if child.name == "key" {
                    key = child.text
                } else if let name = key {
                    members.append(Member(key: name, value: PropertyList(child)))
                    key = nil
                }
            }
            self = .dictionary(members)
        case "array": self = .array(element.children.map(PropertyList.init))
        case "string": self = .string(element.text)
        case "true", "false": self = .bool(element.name == "true")
        default: self = .other
        }
    }

    subscript(key: String) -> PropertyList? {
        guard case .dictionary(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    var elements: [PropertyList] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var isTrue: Bool {
        guard case .bool(let flag) = self else { return false }
        return flag
    }

    /// Whether a build setting decides the text.
    var isVariable: Bool { text?.contains("$(") == true || text?.contains("${") == true }
}
