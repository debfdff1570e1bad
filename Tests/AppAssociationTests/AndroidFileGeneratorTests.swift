import AppAssociation
import LinkRouting
import Testing

struct AndroidFileGeneratorTests {
    @Test func shopHasItsFile() throws {
        let router = try Examples.router("shop")

        for host in ["www.yourappdomain.com", "yourappdomain.com", "go.yourappdomain.com"] {
            #expect(
                String(decoding: AndroidFileGenerator.file(for: host, router: router), as: UTF8.self) == """
                    [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",\
                    "package_name":"com.example.yourapp","sha256_cert_fingerprints":[\
                    "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"]},\
                    "relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[\
                    {"/":"/product/?*"},{"/":"/user/?*"},{"/":"/reset/?*"},{"/":"/home"},{"/":"/home/"},\
                    {"/":"/settings"},{"/":"/settings/"},{"/":"/?*","exclude":true},{"/":"*"}]}}}]
                    """
            )
        }
    }

    @Test(arguments: [("taxi", "farechoice.taxi"), ("magazine", "medium.com"), ("blogs", "app.example.com")])
    func tenantWithoutAndroidAppsHasAnEmptyList(_ tenant: String, _ host: String) throws {
        #expect(AndroidFileGenerator.file(for: host, router: try Examples.router(tenant)) == Array("[]".utf8))
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
            let bytes = AndroidFileGenerator.file(for: host, router: router)
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
