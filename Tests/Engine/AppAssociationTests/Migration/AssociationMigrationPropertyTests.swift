import AppAssociation
import LinkRouting
import Testing

/// For random files: the migrated table behaves as iOS does unless a rule is reported, and each reported link shows a
/// difference.
struct AssociationMigrationPropertyTests {
    @Test(arguments: UInt64(0)..<8)
    func tableAnswersAsTheFileDoes(_ seed: UInt64) throws {
        var chance = Chance(seed)
        var checked = 0
        for _ in 0..<12 {
            let text = RandomAssociationFile(&chance).text
            let migrated = try MigratedFile(text)
            #expect(migrated.findings.filter { $0.severity == .error } == [], "\(text)")
            let unresolved = migrated.migration.reports.filter(\.isUnresolved)
            for report in unresolved where report.kind != .undecided {
                guard let example = report.example else {
                    Issue.record("no example: \(report.line)\n\(text)")
                    return
                }
                #expect(migrated.iosOpens(example.url) == example.iosOpens)
                #expect(migrated.tableOpens(example.url) != example.iosOpens)
            }
            guard unresolved.isEmpty else { continue }
            for _ in 0..<60 {
                let url = RandomAssociationFile.url(&chance)
                checked += 1
                guard migrated.iosOpens(url) != migrated.tableOpens(url) else { continue }
                Issue.record("\(url): iOS \(migrated.iosOpens(url))\n\(text)\n\(migrated.paths)")
                return
            }
        }
        #expect(checked > 100)
    }
}

/// A random file for one app. It uses few distinct words, so that rules overlap.
private struct RandomAssociationFile {
    let text: String

    private static let segments = [
        "a", "b", "ab", "A", "x-y", "%20", "caf%C3%A9", "a*", "*", "*", "?*", "a?", "?", "$(digit)", "$(tab)",
        "$(tab)s",
        "i$(digit)", "$(alpha)$(alpha)", "$(one)", "a*b", "", "[a]",
        "%7Ba%7D", "100%25", "$(xdigit)$(xdigit)", "$(upper)",
    ]
    private static let words = [
        "a", "b", "ab", "abc", "A", "B", "x-y", "%20", "caf%C3%A9", "7", "i7", "tab", "b%20c", "tabs", "only", "a.b",
        "%7Ba%7D",
        "[a]", "100%25",
        "qq",
    ]

    init(_ chance: inout Chance) {
        let count = 1 + chance.below(4)
        let rules: [String]
        let key: String
        if chance.below(2) == 0 {
            key = "paths"
            rules = (0..<count).map { _ in #""\#(chance.one(of: ["", "", "NOT "]))\#(Self.path(&chance))""# }
        } else {
            key = "components"
            rules = (0..<count).map { _ in Self.component(&chance) }
        }
        text = """
            {"applinks": {"substitutionVariables": {"tab": ["tab", "b%20c", "a"], "one": ["only"]},
              "details": [{"appID": "\(MigratedFile.app)", "\(key)": [\(rules.joined(separator: ", "))]}]}}
            """
    }

    private static func path(_ chance: inout Chance) -> String {
        let path = (0..<(1 + chance.below(3))).map { _ in chance.one(of: segments) }.joined(separator: "/")
        return chance.one(of: ["/", "/", "/", ""]) + path + chance.one(of: ["", "", "/*", "/"])
    }

    private static func component(_ chance: inout Chance) -> String {
        var keys: [String] = []
        if chance.below(8) > 0 { keys.append(#""/": "\#(path(&chance))""#) }
        if chance.below(3) == 0 {
            let value = chance.one(of: ["1", "", "?*", "*", "$(tab)", "$(digit)", "1*"])
            keys.append(
                chance.one(of: [
                    #""?": {"x": "\#(value)"}"#, #""?": {"x": "\#(value)", "y[]": "1"}"#, #""?": "x=\#(value)""#,
                ])
            )
        }
        if chance.below(6) == 0 { keys.append(##""#": "\##(chance.one(of: ["", "top", "?*", "t*", "*"]))""##) }
        if chance.below(3) == 0 { keys.append(#""exclude": true"#) }
        if chance.below(4) == 0 { keys.append(#""caseSensitive": false"#) }
        if chance.below(4) == 0 { keys.append(#""percentEncoded": false"#) }
        return "{\(keys.joined(separator: ", "))}"
    }

    /// A plain link. Migration guarantees equivalence only for plain links.
    static func url(_ chance: inout Chance) -> String {
        let path = (0..<chance.below(4)).map { _ in "/" + chance.one(of: words) }.joined()
        let query = chance.one(of: [
            "", "", "?x=1", "?x=", "?x", "?x=1&x=2", "?y%5B%5D=1&x=7", "?z=1&x=tab", "?x=b%20c",
        ])
        let fragment = chance.one(of: ["", "", "", "#top", "#t"])
        return "https://\(MigratedFile.host)\(path)\(chance.one(of: ["", "/"]))\(query)\(fragment)"
    }
}
