import AppAssociation
import LinkRouting
import Testing

/// Cases from Google's documentation, its compatibility suite and Android's source. The files are not ours to publish.
struct AndroidRecordedCaseTests {
    @Test(
        .enabled(if: AndroidData.exists(AndroidData.dynamicCases), "SKIPPED: android_dynamic_cases.jsonl is not there")
    )
    func everyDynamicCaseAgrees() throws {
        let rows = try AndroidData.rows(AndroidData.dynamicCases)
        #expect(rows.count >= 11)
        for (index, row) in rows.enumerated() {
            let components = try #require(row["dynamic_app_link_components"])
            let file = AssetLinks(root: .array([.statement(rules: components)]))
            let decision = file.decision(for: try #require(row["url"]?.text), package: "com.example")
            let name = "case \(index): \(row["note"]?.text ?? "")"
            #expect(decision.outcome.rawValue == row["decision"]?.text, Comment(rawValue: name))
            if let rule = row["rule_index"]?.int { #expect(decision.rule == Int(rule), Comment(rawValue: name)) }
        }
    }

    /// Runs every case. Cases that Google runs only against a stub test statements too.
    @Test(.enabled(if: AndroidData.exists(AndroidData.statementCases), "SKIPPED: assetlinks_cases.jsonl is not there"))
    func everyStatementCaseAgrees() throws {
        let rows = try AndroidData.rows(AndroidData.statementCases)
        #expect(rows.count >= 186)
        for (index, row) in rows.enumerated() {
            let name = Comment(rawValue: "case \(index): \(row["group"]?.text ?? "") \(row["name"]?.text ?? "")")
            let call = try #require(row["call"]?.text.flatMap(StatementQuery.Call.init(rawValue:)))
            let request = try #require(row["request"])
            let query: StatementQuery
            do throws(StatementQuery.Problem) {
                query = try StatementQuery(call, request)
            } catch {
                #expect(row["outcome"]?.text == "QUERY_PARSING_ERROR", name)
                #expect(try row.expects(error.message), name)
                continue
            }
            let list = StatementList(of: query.source, fetch: row.fetch)
            try judge(list, query, row, name)
        }
    }

    private func judge(_ list: StatementList, _ query: StatementQuery, _ row: JSONNode, _ name: Comment) throws {
        let expected = row["response"]?.elements ?? []
        if let target = query.target, let relation = query.relation {
            let links = list.links(to: target, by: relation)
            // Without an expected response, Google's suite requires only that the request is parsed.
            if let answer = expected.first?.text { #expect("\(links)" == answer, name) }
        } else {
            let answer = list.statements(with: query.relation).map { statement in
                JSONNode.object([
                    "source": list.source.json, "relation": .string(statement.relation.description),
                    "target": statement.target.json,
                ])
            }
            // The order of an answer is not significant; Google lists the statements by relation.
            #expect(answer.count == expected.count && Set(answer) == Set(expected), name)
        }
        let codes = Set(list.errors.map(\.code.rawValue))
        #expect(codes == Set((row["error_code"]?.elements ?? []).compactMap(\.text)), name)
        guard row["outcome"]?.text == "FETCH_ERROR" else {
            #expect(row["outcome"]?.text == "SUCCESS", name)
            return
        }
        #expect(try (list.errors.map(\.message) + list.remarks).contains { try row.expects($0) }, name)
    }
}

extension JSONNode {
    /// A statement about `com.example` with dynamic rules.
    static func statement(rules: JSONNode) -> JSONNode {
        let relation = "delegate_permission/common.handle_all_urls"
        let extensions = JSONNode.object(["dynamic_app_link_components": rules])
        return .object([
            "relation": .array([.string(relation)]),
            "target": .object([
                "namespace": .string("android_app"), "package_name": .string("com.example"),
                "sha256_cert_fingerprints": .array([.string(Array(repeating: "0A", count: 32).joined(separator: ":"))]),
            ]),
            "relation_extensions": JSONNode(.object([Member(relation, extensions)])),
        ])
    }

    fileprivate func expects(_ message: String) throws -> Bool {
        guard let pattern = self["error_message_regex"]?.text else { return true }
        return try Regex(pattern).firstMatch(in: message) != nil
    }

    /// The recorded response for a location in this case.
    fileprivate func fetch(_ location: StatementList.Location) -> StatementList.FetchedBody {
        let text: String?
        switch location {
        case .url(let url):
            text = self["web"]?.elements?.first { $0["url"]?.text == url }?["body"]?.text
        case .manifest(let package, let fingerprint):
            text =
                self["android"]?.elements?.first {
                    $0["package_name"]?.text == package.description
                        && $0["cert_fingerprint"]?.text == fingerprint.description
                }?["assets_statements"]?.text
        }
        guard let text else { return .failed(StatementList.Failure(.fetchError, "There is nothing at \(location).")) }
        return .body(Array(text.utf8))
    }
}
