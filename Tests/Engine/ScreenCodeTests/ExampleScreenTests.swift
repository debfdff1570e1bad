import Examples
import Foundation
import LinkCatalog
import LinkRouting
import ScreenCode
import TestSupport
import Testing

/// The screens of the example tenants, whose files are YAML.
struct ExampleScreenTests {
    private func table(_ text: String) throws -> (tenant: TenantID, table: RouteTable) {
        let document = try TenantDocument(text)
        return (try #require(document.tenant), try #require(document.checked().table))
    }

    @Test func sampleAppHasTheScreensOfItsTable() throws {
        let examples = Repository.file("config/examples")
        let (tenant, table) = try table(String(contentsOf: examples.appending(path: "shop.yaml"), encoding: .utf8))
        let screens = try String(contentsOf: examples.appending(path: "app/Shop/ShopScreen.swift"), encoding: .utf8)
        #expect(
            try Tables.code(.swift, tenant: tenant, table: table) == screens,
            "If the change is intended: config/examples/app/update.sh .build/debug/fingerpost"
        )
    }

    @Test(
        arguments: [
            ("sample", ["Detail(id: int?, userType: string)", "Home(userType: string)", "List(userType: string)"]),
            ("blogs", ["Account()", "BlogDetail(id: int)", "BlogEditor()", "BlogList()", "Home()"]),
            ("taxi", ["Booking(reference: string)", "Home()"]), ("magazine", ["Reader(path: list(string))"]),
            (
                "shop",
                ["Home()", "ProductDetail(id: int)", "Reset(token: string)", "Settings()", "UserProfile(id: string)"]
            ),
        ]
    )
    func examplesHaveTheseScreens(_ name: String, _ expected: [String]) throws {
        let document = try #require(Examples.tenants.first { $0.name == name }?.document)
        let (tenant, table) = try table(document)
        #expect(ScreenCatalog(tenant: tenant, table: table).lines == expected)
    }
}
