import Testing

@testable import ScreenCode

struct IdentifierTests {
    @Test(
        arguments: [
            // text, upper camel case, lower camel case, upper snake case
            ("ProductDetail", "ProductDetail", "productDetail", "PRODUCT_DETAIL"),
            ("product-detail", "ProductDetail", "productDetail", "PRODUCT_DETAIL"),
            ("product_detail", "ProductDetail", "productDetail", "PRODUCT_DETAIL"),
            ("URLView", "URLView", "urlView", "URLVIEW"), ("URL", "URL", "url", "URL"),
            ("URL2", "URL2", "url2", "URL2"),
            ("iOS", "IOS", "iOS", "I_OS"), ("x", "X", "x", "X"), ("2fa", "_2fa", "_2fa", "_2FA"),
            ("user.profile/edit", "UserProfileEdit", "userProfileEdit", "USER_PROFILE_EDIT"),
            (" a  b ", "AB", "aB", "A_B"), ("Straße", "Straße", "straße", "STRASSE"), ("注文", "注文", "注文", "注文"),
            ("🎟", "U1F39F", "u1F39F", "U1F39F"), ("", "U", "u", "U"), ("٣", "_٣", "_٣", "_٣"),
        ]
    )
    func nameBecomesAnIdentifier(_ text: String, _ upper: String, _ lower: String, _ snake: String) {
        #expect(Identifier.upperCamel(text) == upper)
        #expect(Identifier.lowerCamel(text) == lower)
        #expect(Identifier.upperSnake(text) == snake)
    }

    @Test(
        arguments: [
            ("a\"b\\c", #""a\"b\\c""#, #""a\"b\\c""#, #""a\"b\\c""#), ("$x", #""$x""#, #""\$x""#, #""$x""#),
            ("é\u{301}", #""é\u{301}""#, #""é\u0301""#, #""é\u0301""#), ("\n", #""\n""#, #""\n""#, #""\n""#),
            ("🎟", #""🎟""#, #""🎟""#, #""🎟""#), ("</script>", #""</script>""#, #""</script>""#, #""\u003c/script>""#),
            ("ﾞ", #""\u{FF9E}""#, #""\uff9e""#, #""\uff9e""#),
        ]
    )
    func textBecomesALiteral(_ text: String, _ swift: String, _ kotlin: String, _ typescript: String) {
        #expect(ScreenLanguage.swift.literal(text) == swift)
        #expect(ScreenLanguage.kotlin.literal(text) == kotlin)
        #expect(ScreenLanguage.typescript.literal(text) == typescript)
    }

    @Test func onlyNamesOfAllLanguagesAreAccepted() {
        for name in ["ShopScreen", "_x", "a1"] { #expect(ScreenCodeOptions.isName(name)) }
        for name in ["", "1a", "a-b", "é", "a b", String(repeating: "a", count: 129)] {
            #expect(!ScreenCodeOptions.isName(name))
        }
        #expect(ScreenCodeOptions.isPackage("com.example.links"))
        for package in ["", "com..x", "com.in.x", "com.1x", "a-b"] { #expect(!ScreenCodeOptions.isPackage(package)) }
    }
}
