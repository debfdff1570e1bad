import HTTPTransport
import LinkCatalog
package import LinkRouting

/// The API of a port as OpenAPI 3.1, merged from the YAML files beside this one.
///
/// An operation in them lists its problems by code, `x-problems: [stale, conflict]`. Its responses for each status are
/// generated from the codes, so the status of a code is always the server's. `x-scopes` lists the scopes that its key
/// needs. References to tables, settings and suites lead to the definitions of `DocumentSchema`.
package struct OpenAPIDocument: Sendable {
    /// The whole document.
    package let content: JSONNode
    let json: String

    /// The document of the public port, which needs no key.
    package static let publicPort = OpenAPIDocument([PackageResources.problems_yaml, PackageResources.public_yaml])
    /// The document of the admin port, which needs a key.
    package static let adminPort = OpenAPIDocument([
        PackageResources.problems_yaml, PackageResources.admin_yaml, PackageResources.tenants_yaml,
        PackageResources.drafts_yaml, PackageResources.revisions_yaml, PackageResources.keys_yaml,
        PackageResources.association_yaml, PackageResources.exports_yaml, PackageResources.log_yaml,
        PackageResources.schemas_yaml,
        PackageResources.analytics_yaml, PackageResources.events_yaml, PackageResources.short_links_yaml,
    ])

    private init(_ parts: [[UInt8]]) {
        do {
            let whole = try parts.map { try Document.readYAML(String(decoding: $0, as: UTF8.self)) }
                .reduce(JSONNode.object([:])) { $0.overlaid(by: $1) }
            content = try ProblemResponses(of: whole).spelledOut(in: whole).addingDocumentSchemas()
            json = content.json()
        } catch {
            preconditionFailure("the document is part of this program, and tests read it: \(error)")
        }
    }
}

/// Expands `x-problems` to responses.
private struct ProblemResponses {
    /// When each code is returned, as a text for people.
    private let occasions: [String: String]
    /// Codes that every operation may return.
    private let common: [String]

    init(of document: JSONNode) throws {
        let codes = document["components"]?["schemas"]?["ProblemCode"]?["oneOf"]?.elements ?? []
        occasions = Dictionary(
            codes.compactMap { code in code["const"]?.text.map { ($0, code["description"]?.text ?? "") } }
        ) { first, _ in first }
        common = (document["x-problems"]?.elements ?? []).compactMap(\.text)
    }

    func spelledOut(in document: JSONNode) throws -> JSONNode {
        let paths = try (document["paths"]?.members ?? []).map { path in
            let shared = path.value["parameters"]?.elements ?? []
            var ofPath: [Problem.Code] = path.key.contains("{tenant}") ? [.unknownTenant] : []
            if shared.contains(where: { $0["$ref"]?.text == "#/components/parameters/environment" }) {
                ofPath.append(.unknownEnvironment)
            }
            let codes = ofPath.map(\.rawValue)
            let methods = try (path.value.members ?? []).map { operation in
                operation.value["responses"] == nil
                    ? operation
                    : JSONNode.Member(operation.key, try spelledOut(operation.value, codes))
            }
            return JSONNode.Member(path.key, JSONNode(.object(methods)))
        }
        let rest = (document.members ?? []).filter { !["paths", "x-problems"].contains($0.key) }
        return JSONNode(.object(rest + [JSONNode.Member("paths", JSONNode(.object(paths)))]))
            .overlaid(by: .object(["components": .object(["schemas": .object(["ProblemCode": codeType])])]))
    }

    /// The list of codes, from which client generators make one type; the descriptions are beside it.
    private var codeType: JSONNode {
        .object(["type": .string("string"), "enum": .array(occasions.keys.sorted().map(JSONNode.string))])
    }

    /// - Parameter ofPath: Codes that every operation of its path may return.
    private func spelledOut(_ operation: JSONNode, _ ofPath: [String]) throws -> JSONNode {
        let own = (operation["x-problems"]?.elements ?? []).compactMap(\.text)
        // An empty list marks an operation that cannot fail, so the common codes are left out as well.
        let codes =
            operation["x-problems"]?.elements?.isEmpty == true
            ? [] : common + own + ofPath.filter { !own.contains($0) }
        var answers: [Int: [String]] = [:]
        for name in codes {
            guard let code = Problem.Code(rawValue: name) else {
                throw DocumentError(path: "x-problems", position: .unknown, message: "Unknown problem code '\(name)'.")
            }
            answers[code.status, default: []].append(name)
        }
        let responses = answers.sorted { $0.key < $1.key }.map { status, codes in
            JSONNode.Member("\(status)", response(codes))
        }
        let members = (operation.members ?? []).filter { $0.key != "x-problems" }
        return JSONNode(.object([JSONNode.Member("responses", JSONNode(.object(responses)))]))
            .overlaid(by: JSONNode(.object(members)))
    }

    private func response(_ codes: [String]) -> JSONNode {
        // Beside the reference and not below `allOf`: client generators would make a type of each such schema.
        let schema = JSONNode.object([
            "$ref": .string("#/components/schemas/Problem"),
            "properties": .object(["code": .object(["enum": .array(codes.map(JSONNode.string))])]),
        ])
        let description = codes.map { "`\($0)`: \(occasions[$0] ?? "")." }.joined(separator: " ")
        let content = JSONNode.object(["application/problem+json": .object(["schema": schema])])
        guard codes.contains(Problem.Code.rateLimited.rawValue) else {
            return .object(["description": .string(description), "content": content])
        }
        let headers = ["Retry-After", "RateLimit-Policy", "RateLimit"].map { name in
            JSONNode.Member(name, .object(["$ref": .string("#/components/headers/\(name)")]))
        }
        return .object([
            "description": .string(description), "headers": JSONNode(.object(headers)), "content": content,
        ])
    }
}

extension JSONNode {
    /// Adds the definitions of `DocumentSchema` that the document refers to, and `RouteContent`: a route whose id is in
    /// the path of the request.
    fileprivate func addingDocumentSchemas() -> JSONNode {
        let prefix = DocumentSchema.componentPrefix
        var schemas = DocumentSchema.used(by: self, prefix: prefix).map { Member($0.name, $0.component) }
        if DocumentSchema.references(in: self, prefix: prefix).contains("RouteContent") {
            guard let route = DocumentSchema.definition("Route") else {
                preconditionFailure("'Route' is one of the definitions")
            }
            schemas.append(Member("RouteContent", route.withoutRequiring("id").component))
        }
        return overlaid(by: .object(["components": .object(["schemas": JSONNode(.object(schemas))])]))
    }

    /// Returns this object merged with `other`, recursively; the values of `other` take precedence.
    fileprivate func overlaid(by other: JSONNode) -> JSONNode {
        guard let own = members, let new = other.members else { return other }
        let merged = own.map { member in
            Member(member.key, other[member.key].map { member.value.overlaid(by: $0) } ?? member.value)
        }
        return JSONNode(.object(merged + new.filter { self[$0.key] == nil }))
    }
}
