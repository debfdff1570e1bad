import HTTPTypes
import Testing

@testable import LinkServer

/// The host in the `Referer` of a click.
struct ReferrerTests {
    @Test(
        arguments: [
            ("https://www.Example.com/a?b", "www.example.com"), ("https://example.com", "example.com"),
            ("android-app://com.example.chat/", "com.example.chat"), ("android-app://com.Slack", "com.Slack"),
            ("ANDROID-APP://com.example.chat?x", "com.example.chat"),
            (
                "android-app://com.google.android.googlequicksearchbox/https/www.google.com",
                "com.google.android.googlequicksearchbox"
            ),
            ("android-app://", nil), ("android-app:///x", nil), ("android-app://a b/", nil),
            ("android-app://é.com/", nil),
            ("android-app://" + String(repeating: "a", count: 254), nil), ("other-app://com.example/", nil), ("", nil),
        ] as [(String, String?)]
    )
    func hostIsThatOfThePageOrThePackage(_ referrer: String, _ host: String?) {
        #expect(ClickContext(.get, [.referer: referrer]).referrerHost == host)
    }
}
