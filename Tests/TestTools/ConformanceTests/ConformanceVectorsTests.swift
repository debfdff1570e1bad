import Conformance
import LinkCatalog
import LinkRouting
import Testing

struct ConformanceVectorsTests {
    @Test func engineDoesWhatItsVectorsExpect() throws {
        #expect(try ConformanceVectors().disagreements == [])
    }

    @Test func vectorsHaveEveryPart() throws {
        let json = try ConformanceVectors().json
        for (name, least) in [
            ("links", 200), ("buckets", 15), ("patterns", 20), ("invalidPatterns", 8), ("order", 3), ("resolutions", 8),
            ("refusedTables", 8),
        ] {
            #expect((json[name]?.elements?.count ?? 0) >= least, "\(name)")
        }
        let cases = (json["resolutions"]?.elements ?? []).flatMap { $0["cases"]?.elements ?? [] }
        #expect(cases.count > 150)
        let outcomes = Set(cases.compactMap { $0["answer"]?["outcome"]?.text })
        #expect(outcomes == Set(Outcome.allCases.filter { $0 != .undecided }.map(\.rawValue)))
        #expect(Set(cases.compactMap { $0["answer"]?["action"]?.text }) == Set(Action.allCases.map(\.rawValue)))
        let keys = Set(cases.flatMap { ($0["context"]?.members ?? []).map(\.key) })
        #expect(keys == Set(LinkContext.Key.allCases.map(\.rawValue)))
        let codes = Set((json["links"]?.elements ?? []).compactMap { $0["rejected"]?["code"]?.text })
        #expect(codes == Set(DeepLink.Rejection.Code.allCases.map(\.rawValue)))
    }

    /// An engine that has only the exported text must be able to repeat every resolution.
    @Test func exportedTextSuffices() throws {
        let text = try ConformanceVectors().json.json(.pretty)
        let json = try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 8 << 20))
        var count = 0
        for group in json["resolutions"]?.elements ?? [] {
            let settings = DocumentField(group["settings"] ?? .null, path: "settings")
            let router = Router(
                identity: try Identity(settings.anyObject()),
                table: try RouteTable(DocumentField(group["table"] ?? .null, path: "table")),
                tenant: group["tenant"]?.text.flatMap { TenantID($0) }
            )
            for one in group["cases"]?.elements ?? [] {
                var warnings: [String] = []
                let context = try LinkContext(
                    DocumentField(one["context"] ?? .null, path: "context"),
                    warnings: &warnings
                )
                let resolution = router.resolve(
                    one["link"]?.text ?? "",
                    in: context,
                    explanation: one["explain"] == .bool(true) ? .included : .omitted
                )
                #expect(one["answer"]?["outcome"]?.text == resolution.outcome.rawValue)
                #expect(one["answer"]?["route"]?["id"]?.text == resolution.route?.rawValue)
                #expect(one["answer"]?["destination"]?["uri"]?.text == resolution.destination?.uri)
                #expect(one["answer"]?["destination"]?["store"]?.text == resolution.destination?.store)
                count += 1
            }
        }
        #expect(count > 150)
    }

    @Test func exportIsAlwaysTheSame() throws {
        #expect(try ConformanceVectors().json.json() == (try ConformanceVectors().json.json()))
    }
}
