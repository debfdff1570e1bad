import AppAssociation
import LinkRouting
import Testing

struct AppVerdictTests {
    @Test func everyAppOfAnAppleFileHasItsVerdict() throws {
        let file = try AppleAppSiteAssociation(
            parsing: Array(
                """
                {"applinks":{"details":[
                  {"appIDs":["AAAAAAAAAA.a","BBBBBBBBBB.b"],"components":[{"/":"/a"}]},
                  {"appIDs":["CCCCCCCCCC.c","AAAAAAAAAA.a"],"components":[{"/":"/a","exclude":true}]}]}}
                """.utf8
            )
        )
        let verdicts = file.verdicts(for: "https://x.test/a")
        #expect(verdicts.map { $0["app"]?.text } == ["AAAAAAAAAA.a", "BBBBBBBBBB.b", "CCCCCCCCCC.c"])
        #expect(verdicts.map { $0["decision"]?.text } == ["match", "match", "exclude"])
        let node = file.decision(for: "https://x.test/a").json.adding(apps: verdicts)
        #expect(
            node["apps"]?.elements?.last?.json() == """
                {"app":"CCCCCCCCCC.c","decision":"exclude","pointer":"/applinks/details/1/components/0"}
                """
        )
        // One app needs no list.
        #expect(JSONNode.object([:]).adding(apps: [.object([:])])["apps"] == nil)
    }

    /// Each app needs a pass over the file, so the number of apps times the number of values is bounded.
    @Test func largeFileHasVerdictsForItsFirstApps() throws {
        let ids = (0..<40_000).map { "\"ABCDE12345.c\($0)\"" }.joined(separator: ",")
        let named = try AppleAppSiteAssociation(
            parsing: Array(#"{"applinks":{"details":[{"appIDs":[\#(ids)],"components":[{"/":"/a"}]}]}}"#.utf8)
        )
        #expect(named.verdicts(for: "https://x.test/a").map { $0["app"]?.text } == (0..<24).map { "ABCDE12345.c\($0)" })

        let few = (0..<500).map { "\"ABCDE12345.c\($0)\"" }.joined(separator: ",")
        let rules = (0..<20_000).map { #"{"/":"/no\#($0)/*"}"# }.joined(separator: ",")
        let ruled = try AppleAppSiteAssociation(
            parsing: Array(#"{"applinks":{"details":[{"appIDs":[\#(few)],"components":[\#(rules)]}]}}"#.utf8)
        )
        #expect(ruled.verdicts(for: "https://x.test/a").count == 24)

        let statements = (0..<5_000).map {
            #"{"relation":[],"target":{"namespace":"android_app","package_name":"c.c\#($0)"}}"#
        }
        let android = try AssetLinks(parsing: Array("[\(statements.joined(separator: ","))]".utf8))
        #expect(android.verdicts(for: "https://x.test/a").map { $0["app"]?.text } == (0..<39).map { "c.c\($0)" })
    }

    @Test func includedStatementsCount() throws {
        func statement(_ package: String) -> String {
            let fingerprint = Array(repeating: "1B", count: 32).joined(separator: ":")
            return """
                {"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",\
                "package_name":"\(package)","sha256_cert_fingerprints":["\(fingerprint)"]}}
                """
        }
        let own = try AssetLinks(parsing: Array(#"[\#(statement("com.a")),{"include":"https://i.test/x.json"}]"#.utf8))
        let other = try AssetLinks(
            parsing: Array(#"[{"include":"https://i.test/y.json"},\#(statement("com.b"))]"#.utf8)
        )
        #expect(own.includes.map(\.url) == ["https://i.test/x.json"] && own.includes.first?.pointer == "/1")
        let joined = own.appending([other])
        #expect(joined.includes.count == 1)
        let verdicts = joined.verdicts(for: "https://x.test/a")
        #expect(verdicts.map { $0["app"]?.text } == ["com.a", "com.b"])
        #expect(verdicts.map { $0["decision"]?.text } == ["manifest", "manifest"])
    }
}
