import AppAssociation
import LinkRouting
import Testing

struct AssetLinksGeneratorTests {
    @Test func shopHasItsFile() throws {
        let router = try Examples.router("shop")

        for host in ["www.yourappdomain.com", "yourappdomain.com", "go.yourappdomain.com"] {
            #expect(
                String(decoding: AssetLinksGenerator.file(for: host, router: router), as: UTF8.self) == """
                    [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",\
                    "package_name":"com.example.yourapp","sha256_cert_fingerprints":[\
                    "D9:6E:66:DE:11:71:05:FC:9B:69:30:AB:AB:FD:0F:12:72:4C:B0:C8:1A:A8:AE:0A:D4:EC:16:14:C8:D0:CB:6D"]},\
                    "relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[\
                    {"/":"/user/*/delete","exclude":true},{"/":"/user/*/delete/","exclude":true},\
                    {"/":"/product/?*"},{"/":"/user/?*"},{"/":"/reset/?*"},{"/":"/home"},{"/":"/home/"},\
                    {"/":"/settings"},{"/":"/settings/"},{"/":"/?*","exclude":true},{"/":"*"}]}}}]
                    """
            )
        }
    }

    private static let app = """
        settings:
          domains: [a.example]
          apps:
            - {id: droid, platform: android, package: com.a, fingerprints: ["\(Array(repeating: "AB", count: 32).joined(separator: ":"))"]}
        table:
          routes:

        """

    /// Returns the rules, an exclusion with a `-` before it.
    private static func rules(_ routes: [String]) throws -> [String] {
        let lines = zip("abcdef", routes).map { "    - {id: \($0), \($1)}" }.joined(separator: "\n")
        let file = AssetLinksGenerator.file(for: "a.example", router: try Examples.router(document: app + lines))
        let links = try AssetLinks(parsing: file)
        #expect(AssetLinks.validate(file).filter { $0.severity == .error } == [])
        return links.statements.first?.dynamicRules?.rules.map { rule in
            let items = rule.query.map { "\($0.name)=\($0.pattern)" }.joined(separator: "&")
            return (rule.exclude ? "-" : "") + (rule.path ?? "") + (items.isEmpty ? "" : "?\(items)")
        } ?? []
    }

    @Test(
        arguments: [
            (
                ["path: \"/legal/{page...}\"", "path: \"/{path...}\", open: {screen: H}"],
                ["-/legal", "-/legal/*", "*"]
            ),
            (
                ["path: /blog/new", "path: \"/blog/{id}\", open: {screen: B}"],
                ["-/blog/new", "-/blog/new/", "/blog/?*", "-*"]
            ),
            (
                ["path: \"/user/{id}/delete\"", "path: \"/user/{x...}\", open: {screen: U}"],
                ["-/user/*/delete", "-/user/*/delete/", "/user", "/user/*", "-*"]
            ),
            // A star before a dot also takes slashes, and `/f/a/b.html` opens the app.
            (["path: \"/f/{name}.html\"", "path: \"/f/{x...}\", open: {screen: F}"], ["/f", "/f/*", "-*"]),
            (
                ["path: \"/f/n-{name}/old\"", "path: \"/f/{x}/{y}\", open: {screen: F}"],
                ["-/f/n-?*/old", "-/f/n-?*/old/", "/f/?*", "-*"]
            ),
            // The rest of an excluded parameter may open the app.
            (["path: \"/u/{id}\"", "path: \"/u/{x...}\", open: {screen: U}"], ["/u", "/u/*", "-*"]),
            (
                ["path: /Login, caseSensitive: false", "path: \"/{x...}\", open: {screen: H}"],
                ["-/Login", "-/Login/", "-/login", "-/login/", "*"]
            ),
            (["path: /", "path: \"/{x...}\", open: {screen: H}"], ["-/", "/*", "-*"]),
            // A plus is a modifier for a matcher that knows `?*`.
            (["path: \"/a+b/{id}\", open: {screen: A}"], ["/a?b/?*", "-*"]),
            (["path: /a+b, open: {screen: A}"], ["/a+b", "/a+b/", "-*"]),
        ] as [([String], [String])]
    )
    func tableHasItsRules(_ routes: [String], _ rules: [String]) throws {
        #expect(try Self.rules(routes) == rules)
    }

    @Test(arguments: [("taxi", "farechoice.taxi"), ("magazine", "medium.com"), ("blogs", "app.example.com")])
    func tenantWithoutAndroidAppsHasAnEmptyList(_ tenant: String, _ host: String) throws {
        #expect(AssetLinksGenerator.file(for: host, router: try Examples.router(tenant)) == Array("[]".utf8))
    }

    @Test func fileNamesTheAppsOfItsHostInTheirOrder() throws {
        let fingerprints = ["0a", "ff"].map { Array(repeating: $0, count: 32).joined(separator: ":") }
        let router = try Examples.router(
            document: """
                settings:
                  domains: [a.example, b.example]
                  apps:
                    - {id: one, platform: android, package: com.one, fingerprints: ["\(fingerprints[0])", "\(fingerprints[1])"]}
                    - {id: two, platform: android, package: com.two, fingerprints: ["\(fingerprints[1])"], domains: [a.example]}
                    - {id: unsigned, platform: android, package: com.unsigned}
                    - {id: staging, platform: android, package: com.s, fingerprints: ["\(fingerprints[0])"], environment: staging}
                table: {routes: []}
                """
        )
        func targets(_ host: String) throws -> [JSONNode?] {
            let bytes = AssetLinksGenerator.file(for: host, router: router)
            let file = try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 20))
            return file.elements?.map { $0["target"] } ?? []
        }

        #expect(try targets("a.example").map { $0?["package_name"]?.text } == ["com.one", "com.two"])
        #expect(try targets("b.example").map { $0?["package_name"]?.text } == ["com.one"])
        #expect(
            try targets("b.example").first??["sha256_cert_fingerprints"]?.elements?.map(\.text)
                == fingerprints.map { $0.uppercased() }
        )
    }
}
