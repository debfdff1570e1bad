import AppAssociation
import LinkRouting
import Testing

/// Which links two versions of a file treat differently.
struct AssociationFileDiffTests {
    private static func apple(_ rules: String) throws -> AppleAppSiteAssociation {
        try AppleAppSiteAssociation(
            parsing: #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.a"],"components":[\#(rules)]}]}}"#.utf8
        )
    }

    private static func android(_ rules: String?) throws -> AssetLinks {
        let relation = "delegate_permission/common.handle_all_urls"
        let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
        let more = rules.map {
            #","relation_extensions":{"\#(relation)":{"dynamic_app_link_components":[\#($0)]}}"#
        }
        return try AssetLinks(
            parsing: #"""
                [{"relation":["\#(relation)"],"target":{"namespace":"android_app","package_name":"com.a",
                "sha256_cert_fingerprints":["\#(fingerprint)"]}\#(more ?? "")}]
                """#.utf8
        )
    }

    private static func texts(_ diff: AssociationFileDiff) -> [String] {
        #expect(diff.isComplete)
        return diff.moves.map { "\($0.move.link) \($0.move.before.rawValue) \($0.move.after.rawValue)" }
    }

    @Test(
        arguments: [
            (#"{"/":"/a"}"#, #"{"/":"/a"}"#, []),
            // The same links in other words.
            (#"{"/":"/a"},{"/":"/b"}"#, #"{"/":"/b/"},{"/":"/a"},{"/":"*","exclude":true}"#, []),
            (#"{"/":"/a/*"}"#, #"{"/":"/a"},{"/":"/a/?*"}"#, []),
            (#"{"/":"/a"}"#, #"{"/":"/b"}"#, ["https://e.com/a app browser", "https://e.com/b browser app"]),
            (
                #"{"/":"/legal/*","exclude":true},{"/":"*"}"#, #"{"/":"/legal/x","exclude":true},{"/":"*"}"#,
                ["https://e.com/legal browser app"]
            ),
            (#"{"/":"/a"}"#, #"{"/":"/a","caseSensitive":false}"#, ["https://e.com/A browser app"]),
            (
                #"{"/":"/a","?":{"x":"1"}}"#, #"{"/":"/a","?":{"x":"2"}}"#,
                ["https://e.com/a?x=1 app browser", "https://e.com/a?x=2 browser app"]
            ),
            (##"{"/":"*","#":"app"}"##, ##"{"/":"/a","#":"app"}"##, ["https://e.com/#app app browser"]),
        ] as [(String, String, [String])]
    )
    func linksOfAppleFilesMove(_ before: String, _ after: String, _ moves: [String]) throws {
        let diff = AssociationFileDiff(from: try Self.apple(before), to: try Self.apple(after), host: "e.com")
        #expect(Self.texts(diff).sorted() == moves.sorted())
    }

    @Test(
        arguments: [
            (#"{"/":"/a"}"#, #"{"/":"/a"},{"/":"*","exclude":true}"#, []),
            (#"{"/":"/a"}"#, #"{"/":"/a"},{"/":"/a/"}"#, ["https://e.com/a/ browser app"]),
            (#"{"/":"/é"}"#, #"{"/":"/b"}"#, ["https://e.com/%C3%A9 app browser", "https://e.com/b browser app"]),
            (#"{"/":"/*/x"}"#, #"{"/":"/a/x"}"#, ["https://e.com/x/x app browser"]),
            (nil, #"{"/":"*"}"#, ["https://e.com manifest app"]),
        ] as [(String?, String, [String])]
    )
    func linksOfAndroidFilesMove(_ before: String?, _ after: String, _ moves: [String]) throws {
        let diff = AssociationFileDiff(from: try Self.android(before), to: try Self.android(after), host: "e.com")
        #expect(Self.texts(diff).sorted() == moves.sorted())
    }

    @Test func moveNamesItsRules() throws {
        let diff = AssociationFileDiff(
            from: try Self.apple(#"{"/":"/a"}"#),
            to: try Self.apple(#"{"/":"/a","exclude":true},{"/":"/b/*"}"#),
            host: "e.com"
        )
        #expect(diff.moves.map(\.ruleBefore) == ["/applinks/details/0/components/0", nil])
        #expect(
            diff.moves.map(\.ruleAfter) == ["/applinks/details/0/components/0", "/applinks/details/0/components/1"]
        )
    }

    @Test func appThatIsRemovedLosesItsLinks() throws {
        let empty = try AppleAppSiteAssociation(parsing: #"{"applinks":{"details":[]}}"#.utf8)
        let diff = AssociationFileDiff(from: try Self.apple(#"{"/":"/a/*"}"#), to: empty, host: "e.com")
        #expect(Self.texts(diff) == ["https://e.com/a app browser"])
    }

    @Test func exhaustedBudgetIsReported() throws {
        let diff = AssociationFileDiff(
            from: try Self.apple(#"{"/":"/a"}"#),
            to: try Self.apple(#"{"/":"/b"}"#),
            host: "e.com",
            within: WorkBudget(steps: 1)
        )
        #expect(!diff.isComplete)
    }
}
