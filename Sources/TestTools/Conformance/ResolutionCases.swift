import LinkCatalog
import LinkRouting

/// Links and contexts, resolved with one table.
struct ResolutionGroup: Sendable {
    private let name: String
    private let tenant: TenantID
    private let settings: JSONNode
    private let table: JSONNode
    private let cases: [LinkSuite.Case]
    private let router: Router

    /// Reads `{name, settings, table, cases}`, where the cases are those of a suite.
    init(_ field: DocumentField) throws {
        let object = try field.object("name", "settings", "table", "cases")
        let suite = JSONNode.object(["formatVersion": .int(1), "cases": try object.required("cases").node])
        try self.init(
            name: try object.required("name").text(),
            settings: try object.required("settings").node,
            table: try object.required("table").node,
            cases: try LinkSuite(suite.json()).cases
        )
    }

    /// An example tenant with its suite.
    init(_ tenant: (name: String, document: String), _ suite: (name: String, document: String)) throws {
        let document = try TenantDocument(tenant.document)
        let identity = JSONNode(
            .object((document.settings?.members ?? []).filter { Identity.keys.contains($0.key) })
        )
        try self.init(
            name: "example \(tenant.name)",
            tenant: document.tenant,
            settings: identity,
            table: document.table ?? .null,
            // Tests of association files do not concern an engine.
            cases: try LinkSuite(suite.document).cases.filter { $0.via == nil }
        )
    }

    private init(
        name: String,
        tenant: TenantID? = nil,
        settings: JSONNode,
        table: JSONNode,
        cases: [LinkSuite.Case]
    ) throws {
        guard let tenant = tenant ?? TenantID("local") else { preconditionFailure("'local' is an identifier") }
        self.name = name
        self.tenant = tenant
        self.settings = settings
        self.table = table
        self.cases = cases
        router = Router(
            identity: try Identity(DocumentField(settings, path: "settings").anyObject()),
            table: try RouteTable(DocumentField(table, path: "table")),
            tenant: tenant
        )
    }

    var json: JSONNode {
        let cases = cases.map { one in
            JSONNode.object([
                "link": .string(one.link), "context": one.context, "explain": one.wantsTrace ? .bool(true) : nil,
                "answer": answer(one),
            ])
        }
        return .object([
            "name": .string(name), "tenant": .string(tenant.rawValue), "settings": settings, "table": table,
            "cases": .array(cases),
        ])
    }

    var disagreements: [String] {
        cases.flatMap { one in
            let answer = answer(one)
            // The tenant and the continuation are those of a server.
            return one.expectations.filter { $0.key != .tenant && $0.key != .continuation }.compactMap { expectation in
                expectation.difference(in: answer).map { "\(name): \(one.link): \(expectation.key.rawValue): \($0)" }
            }
        }
    }

    private func answer(_ one: LinkSuite.Case) -> JSONNode {
        var warnings: [String] = []
        // The contexts were parsed with the suite, so parsing cannot fail here.
        let context =
            (try? LinkContext(DocumentField(one.context, path: "context"), warnings: &warnings)) ?? LinkContext()
        var writer = JSONWriter()
        writer.beginObject()
        let explanation = one.wantsTrace ? Router.Explanation.included : .omitted
        router.resolve(one.link, in: context, explanation: explanation).write(to: &writer, of: nil)
        writer.endObject()
        let limits = JSONReader.Limits(maximumBytes: 1 << 20)
        return (try? JSONReader.parse(writer.bytes, limits: limits)) ?? .null
    }
}

extension LinkSuite.Case {
    fileprivate var wantsTrace: Bool { expectations.contains { $0.key == .trace } }
}

/// A table that an engine must refuse.
struct RefusedTable: Sendable {
    private let table: JSONNode
    /// The place of the first error.
    private let path: String

    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object("table", "path")
        table = try object.required("table").node
        path = try object.required("path").text()
    }

    var json: JSONNode { .object(["table": table, "path": .string(path)]) }

    var disagreement: String? {
        do throws(RouteTable.DecodingErrors) {
            _ = try RouteTable(DocumentField(table, path: "table"))
            return "The table \(table.json()) should be refused."
        } catch {
            let found = error.errors.map(\.path)
            return found.first == path ? nil : "The table \(table.json()) is wrong at \(found), not at \(path)."
        }
    }
}
