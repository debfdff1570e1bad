import Foundation
import HTTPTypes
import LinkRouting
import Testing

@testable import Console

/// The names in the templates of the console: a wrong one renders as nothing.
struct ConsoleTemplateTests {
    private static let templates = Pages.files.map { (name: $0.name, text: String(decoding: $0.bytes, as: UTF8.self)) }

    /// The tags of a template, each with its mark.
    private static func tags(_ text: String) -> [(mark: Character?, name: String)] {
        text.matches(of: /\{\{([#^\/>$<]?)\s*([^{}]*?)\s*\}\}/).map {
            (mark: $0.output.1.first, name: String($0.output.2))
        }
    }

    @Test func everyNameIsOneOfTheAPIOrOfTheConsole() async throws {
        try await withService { service in
            let document = try #require(try await service.adminPort(.get, "/openapi.json", key: nil).json)
            // Reasons of `hidden` in the answer of a replay, which docs/tables.md lists.
            var known = properties(document).union(["pathCut", "noPath", "notReproduced"])
            #expect(known.count > 300)
            let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../../Sources/Service/Console"
            )
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "swift" }
            for file in files {
                let source = try String(contentsOf: file, encoding: .utf8)
                known.formUnion(source.matches(of: /"([A-Za-z]+)"/).map { String($0.output.1) })
            }
            for template in Self.templates {
                let fields = template.text.matches(of: /name="([A-Za-z._]+)"/).map { String($0.output.1) }
                for tag in Self.tags(template.text)
                where [nil, "#", "^"].contains(tag.mark) && tag.name != "." && !tag.name.hasSuffix("()") {
                    let words = tag.name.split(separator: ".").map(String.init)
                    let isField = words.count > 1 && ["form", "fields"].contains(words.first)
                    for word in isField ? [] : words {
                        #expect(known.contains(word), "\(template.name): \(tag.name)")
                    }
                    if isField {
                        let name = words.dropFirst().joined(separator: ".")
                        #expect(fields.contains(name) || known.contains(name), "\(template.name): \(tag.name)")
                    }
                }
            }
        }
    }

    /// The names of members in a schema, and the words that a member may be.
    private func properties(_ node: JSONNode) -> Set<String> {
        var names: Set<String> = []
        if let properties = node["properties"]?.members { names.formUnion(properties.map(\.key)) }
        names.formUnion(node["enum"]?.elements?.compactMap(\.text) ?? [])
        for member in node.members ?? [] { names.formUnion(properties(member.value)) }
        for element in node.elements ?? [] { names.formUnion(properties(element)) }
        return names
    }

    @Test func everySectionEndsAndEveryPartExists() {
        let names = Set(Self.templates.map(\.name))
        #expect(names.count == Self.templates.count)
        for template in Self.templates {
            var open: [String] = []
            for tag in Self.tags(template.text) {
                switch tag.mark {
                case "#", "^", "$": open.append(tag.name)
                case "<":
                    #expect(names.contains(tag.name), "\(template.name): \(tag.name)")
                    open.append(tag.name)
                case "/": #expect(open.popLast() == tag.name, "\(template.name): \(tag.name)")
                case ">": #expect(names.contains(tag.name), "\(template.name): \(tag.name)")
                default: break
                }
            }
            #expect(open.isEmpty, "\(template.name)")
        }
    }

    /// What a person sends is never HTML, and every form that changes something has the session's token.
    @Test func textIsEscapedAndFormsHaveTheToken() {
        for template in Self.templates {
            #expect(!template.text.contains("{{{") && !template.text.contains("{{&"), "\(template.name)")
            #expect(!template.text.contains(" style=") && !template.text.contains("<style"), "\(template.name)")
            #expect(
                template.text.matches(of: /<script/).count == (template.name == "layout" ? 1 : 0),
                "\(template.name)"
            )
            #expect(template.text.matches(of: #/ on[a-z]+=/#).isEmpty, "\(template.name)")
            let forms = template.text.split(separator: "<form").dropFirst().filter { $0.contains(#"method="post""#) }
            for form in forms where !["open", "sign-in"].contains(template.name) {
                let content = form.prefix(upTo: form.firstRange(of: "</form>")?.lowerBound ?? form.endIndex)
                #expect(content.contains("{{>token}}") || content.contains("{{formToken}}"), "\(template.name)")
            }
        }
    }
}
