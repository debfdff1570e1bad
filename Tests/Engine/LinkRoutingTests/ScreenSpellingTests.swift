import Testing

@testable import LinkRouting

/// Screens that are probably misspelt, in tables that declare no screens.
struct ScreenSpellingTests {
    private func route(_ number: Int, _ screen: String) -> String {
        #"{"id": "r\#(number)", "path": "/\#(number)", "open": {"screen": "\#(screen)"}, "web": "https://www.acme.com/"}"#
    }

    /// The findings on a table that uses `frequent` three times and `rare` once.
    private func findings(_ rare: String, _ frequent: String) throws -> [Finding] {
        let routes = [rare, frequent, frequent, frequent].enumerated().map { route($0, $1) }
        let identity = try Fixture.identity()
        let table = try Fixture.table(routes)
        return table.check(for: identity, now: Timestamp(milliseconds: 0)).filter { $0.code == .similarScreen }
    }

    @Test(arguments: [
        ("Produkt", "Product"), ("Produc", "Product"), ("Producct", "Product"), ("ProductDetial", "ProductDetail"),
        ("ProductDetaill", "ProductDetail"), ("Ordr", "Order"), ("SearchResuls", "SearchResults"),
        ("product_detial", "product_detail"), ("UserPofile", "UserProfile"), ("Recomendations", "Recommendations"),
        ("Notificatons", "Notifications"), ("HTTPSetings", "HTTPSettings"),
    ])
    func misspellingOfAFrequentScreenIsReported(_ rare: String, _ frequent: String) throws {
        let found = try findings(rare, frequent)
        #expect(found.count == 1 && found.first?.path == "routes[0].open")
        #expect(found.first?.severity == .warning)
        let isPermuted = rare.utf8.sorted() == frequent.utf8.sorted()
        let relation = isPermuted ? "has the same letters as" : "is spelled almost like"
        #expect(found.first?.message == "The screen '\(rare)' \(relation) '\(frequent)', which is used 3 times.")
    }

    /// Names of one family.
    @Test(arguments: [
        ("Items", "Item"), ("Item", "Items"), ("Addresses", "Address"), ("Step2", "Step1"), ("Story", "Store"),
        ("Chart", "Cart"), ("Archived", "Archive"), ("BlogEditor", "BlogEdit"), ("Help", "Home"),
        ("OrdersDetail", "OrderDetail"), ("ProductRetail", "ProductDetail"), ("ShopHelp", "ShopHome"),
        ("NewsPost", "NewsList"), ("VariantB", "VariantA"), ("Sign", "SignIn"), ("OnboardingV2", "OnboardingV1"),
        ("Preset", "Reset"), ("UserProfile", "ShopProfile"), ("Musik", "Pop"),
    ])
    func relatedNamesAreNotReported(_ rare: String, _ frequent: String) throws {
        #expect(try findings(rare, frequent) == [])
    }

    /// Both names are in use, or the table declares its screens, for which every name is checked.
    @Test func frequentAndDeclaredNamesAreNotReported() throws {
        let identity = try Fixture.identity()
        let both = ["Produkt", "Produkt", "Product", "Product", "Product", "Product", "Product"]
        let table = try Fixture.table(both.enumerated().map { route($0, $1) })
        #expect(!table.check(for: identity, now: Timestamp(milliseconds: 0)).map(\.code).contains(.similarScreen))
        var declared = try Fixture.table(
            ["Produkt", "Product", "Product", "Product"].enumerated().map { route($0, $1) }
        )
        declared.screens = ["Produkt", "Product"].map { ScreenDeclaration(name: $0, arguments: []) }
        #expect(declared.check(for: identity, now: Timestamp(milliseconds: 0)) == [])
    }

    /// Comparisons are bounded: the rest of a huge table is not searched.
    @Test func workIsBounded() {
        let names = (0..<20_000).map { number in
            "Screen" + String(number, radix: 26).map { String(UnicodeScalar(UInt8($0.hexOrLetter) + 97)) }.joined()
        }
        var spelling = ScreenSpelling(Dictionary(names.map { ($0, 3) }) { first, _ in first })
        for name in names { _ = spelling.meant(by: "x" + name, uses: 1) }
        #expect(spelling.meant(by: names[0] + "x", uses: 1) == nil)
    }
}

extension Character {
    /// The value of a digit of base 26.
    fileprivate var hexOrLetter: Int { Int(String(self), radix: 26) ?? 0 }
}
