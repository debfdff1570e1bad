import HTTPTypes
import LinkServer

/// A tenant with two hosts for links, and clicks of its visitors.
enum LandingTenant {
    static let hosts = "go.acme.example, open.acme.example"

    /// - Parameters:
    ///   - hosts: Those that serve links.
    ///   - settings: Further settings as lines of YAML.
    static func document(hosts: String = hosts, settings: String = "") -> String {
        """
        formatVersion: 1
        tenant: acme
        settings:
          domains: [\(hosts), {host: www.acme.example, serves: association}]
          schemes: [acme]
          apps:
            - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme, stores: [{kind: appStore, id: "123456789"}]}
            - {id: droid, platform: android, package: com.acme, stores: [{kind: playStore}]}
        \(settings)
        table:
          routes:
            - {id: both, path: "/both/{id}", open: {screen: Item}, web: "https://www.acme.example/item/{id}"}
            - {id: store, path: /store, open: {screen: Shop}, store: true, web: "https://www.acme.example/shop"}
            - {id: app, path: "/app/{rest...}", open: {screen: App}}
            - {id: page, path: /page, web: "https://www.acme.example/page"}
            - id: own
              path: /own
              when: {platform: [ios, android], inAppBrowser: true}
              open: {screen: Own}
              web: "https://www.acme.example/own"
            - {id: blocked, path: /blocked, block: "Closed <b>"}
            - {id: short, path: "/s/{code}", follow: shortLinks}
        """
    }

    private static let iOS =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/144.0.0.0"

    static let safari = "\(iOS) Version/26.0 Mobile/15E148 Safari/604.1"
    static let webView = "\(iOS) Mobile/23C55"
    static let instagram =
        "\(webView) Instagram 424.1.0.31.54 (iPhone18,4; iOS 26_4_1; en_GB; scale=3.00) NW/3 Safari/604.1"
    static let androidChrome = "Mozilla/5.0 (Linux; Android 10; K) \(chrome) Mobile Safari/537.36"
    static let androidWebView = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) \(chrome) Mobile Safari/537.36"
    static let mac =
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15"
    static let windows =
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36"

    static let inAppOfIPhones =
        [webView, instagram]
        + [
            "[FBAN/FBIOS;FBAV/531.0.0;FBSN/iOS;FBSV/26.0.1;FBLC/de_DE]",
            "[FBAN/MessengerForiOS;FBAV/460.0.0;FBSV/26.0]",
            "Barcelona 414.1.0.26.79 (iPhone14,7; iOS 26_2; pt_BR; scale=3.00)", "musical_ly_29.3.0 JsSdk/2.0",
            "Twitter for iPhone/9.62", "[LinkedInApp]/9.29.6104", "Snapchat/12.74.0.40 (like Safari/8617, panda)",
            "[Pinterest/iOS]", "Safari Line/14.2.0", "MicroMessenger/8.0.34 NetType/WIFI", "KAKAOTALK 10.2.0",
            "GSA/360.1.737798518 Safari/604.1",
        ].map { "\(webView) \($0)" }
    static let inAppOfAndroid =
        [androidWebView]
        + [
            "Instagram 326.0.0.42.90 Android", "[FB_IAB/FB4A;FBAV/458.0.0.54.108;]",
            "[FB_IAB/Orca-Android;FBAV/460.0;]",
            "trill_2022803040 BytedanceWebview/d8a21c6", ";KAKAOTALK 2610580", "Telegram-Android/11.4.2",
        ].map { "\(androidWebView) \($0)" }
}

extension TestService {
    /// A click on `go.acme.example`.
    func land(_ path: String, _ agent: String, languages: String? = nil) async throws -> TestResponse {
        var headers: HTTPFields = [.userAgent: agent]
        headers[.acceptLanguage] = languages
        return try await publicPort(.get, path, host: "go.acme.example", headers: headers)
    }
}
