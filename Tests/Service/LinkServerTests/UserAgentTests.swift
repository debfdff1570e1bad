import LinkRouting
import Testing

@testable import LinkServer

/// Device attributes from the User-Agent headers of real browsers.
struct UserAgentTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let agent: String
        let platform: Platform
        let device: Device?
        let version: String?
        let inApp: Bool?

        init(_ agent: String, _ platform: Platform, _ device: Device?, _ version: String?, inApp: Bool? = false) {
            self.agent = agent
            self.platform = platform
            self.device = device
            self.version = version
            self.inApp = inApp
        }

        var testDescription: String { agent }
    }

    private static let iOSKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let chromeKit = "AppleWebKit/537.36 (KHTML, like Gecko)"

    static let apple = [
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) \(iOSKit) Version/17.4.1 Mobile/15E148 Safari/604.1",
            .ios,
            .phone,
            "17.4.1"
        ),
        // From iOS 26 on, the system version in the header is frozen.
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) \(iOSKit) Version/26.0 Mobile/15E148 Safari/604.1",
            .ios,
            .phone,
            "26.0"
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) \(iOSKit) CriOS/125.0.6422.80 Mobile/15E148 Safari/604.1",
            .ios,
            .phone,
            "17.5"
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 16_7_8 like Mac OS X) \(iOSKit) FxiOS/126.0 Mobile/15E148 Safari/605.1.15",
            .ios,
            .phone,
            "16.7.8"
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) \(iOSKit) Version/17.0 EdgiOS/124.0.2478.50 Mobile/15E148 Safari/604.1",
            .ios,
            .phone,
            "17.4"
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) \(iOSKit) GSA/313.0.625654537 Mobile/15E148 Safari/604.1",
            .ios,
            .phone,
            "17.4",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) \(iOSKit) GSA/360.1.737798518 Mobile/15E148 Safari/604.1",
            .ios,
            .tablet,
            "17.7",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) \(iOSKit) Version/16.6 Mobile/15E148 Safari/604.1",
            .ios,
            .tablet,
            "16.6"
        ),
        Case(
            "Mozilla/5.0 (iPod touch; CPU iPhone OS 12_5_7 like Mac OS X) \(iOSKit) Version/12.1.2 Mobile/15E148 Safari/604.1",
            .ios,
            .phone,
            "12.5.7"
        ),
        Case(
            "Mozilla/5.0 (iPhone; U; CPU like Mac OS X; en) AppleWebKit/420+ (KHTML, like Gecko) Version/3.0 Mobile/1A543a Safari/419.3",
            .ios,
            .phone,
            "3.0"
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) \(iOSKit) Mobile/15E148",
            .ios,
            .phone,
            "17.4",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) \(iOSKit) Mobile/21E236 [FBAN/FBIOS;FBAV/460.0.0.37.108;FBBV/588600000;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.4.1;FBSS/3;FBID/phone;FBLC/en_GB;FBOP/5]",
            .ios,
            .phone,
            "17.4.1",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) \(iOSKit) Mobile/23A341 [FBAN/FBIOS;FBAV/531.0.0;FBDV/iPhone16,1;FBSN/iOS;FBSV/26.0.1;FBLC/de_DE]",
            .ios,
            .phone,
            "26.0.1",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) \(iOSKit) Mobile/21E236 Instagram 330.0.3.29.90 (iPhone15,2; iOS 17_4_1; en_GB; en-GB; scale=3.00; 1179x2556; 595000000)",
            .ios,
            .phone,
            "17.4.1",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_3 like Mac OS X) \(iOSKit) Version/17.3 Mobile/15E148 Snapchat/12.74.0.40 (like Safari/8617.2.4.10.7, panda)",
            .ios,
            .phone,
            "17.3",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) \(iOSKit) Mobile/20G75 Twitter for iPhone/9.62",
            .ios,
            .phone,
            "16.6",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) \(iOSKit) Mobile/15E148 musical_ly_29.3.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/GB",
            .ios,
            .phone,
            "16.5",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) \(iOSKit) Mobile/15E148 Safari Line/14.2.0",
            .ios,
            .phone,
            "17.2",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) \(iOSKit) Mobile/15E148 [LinkedInApp]/9.29.6104",
            .ios,
            .phone,
            "17.0",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) \(iOSKit) Mobile/15E148 [Pinterest/iOS]",
            .ios,
            .phone,
            "17.0",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 16_1 like Mac OS X) \(iOSKit) Mobile/15E148 MicroMessenger/8.0.34(0x16082222) NetType/WIFI Language/en",
            .ios,
            .phone,
            "16.1",
            inApp: true
        ),
        // Programs that no Mac has, on devices that request desktop sites.
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(iOSKit) CriOS/130 Version/11.1.1 Safari/605.1.15",
            .ios,
            .tablet,
            nil
        ),
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(iOSKit) FxiOS/126.0 Safari/605.1.15",
            .ios,
            .tablet,
            nil
        ),
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(iOSKit) Version/17.0 EdgiOS/124.0.2478.50 Safari/605.1.15",
            .ios,
            .tablet,
            nil
        ),
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(iOSKit) GSA/360.1.737798518 Safari/605.1.15",
            .ios,
            .tablet,
            nil,
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_6) \(iOSKit) Mobile/20G75 [FBAN/FBIOS;FBAV/460.0;FBDV/iPad8,6;FBSV/16.6]",
            .ios,
            .tablet,
            "16.6",
            inApp: true
        ),
        // An iPad that requests desktop sites sends the same header.
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(iOSKit) Version/17.4 Safari/605.1.15",
            .macos,
            .desktop,
            nil
        ),
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(chromeKit) Chrome/124.0.0.0 Safari/537.36",
            .macos,
            .desktop,
            nil
        ),
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:125.0) Gecko/20100101 Firefox/125.0",
            .macos,
            .desktop,
            nil
        ),
        Case(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_13_6) \(iOSKit) Version/13.1.2 Safari/605.1.15",
            .macos,
            .desktop,
            "10.13.6"
        ),
        Case("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(iOSKit)", .macos, .desktop, nil, inApp: true),
    ]

    static let android = [
        Case(
            "Mozilla/5.0 (Linux; Android 10; K) \(chromeKit) Chrome/124.0.0.0 Mobile Safari/537.36",
            .android,
            .phone,
            nil
        ),
        Case("Mozilla/5.0 (Linux; Android 10; K) \(chromeKit) Chrome/124.0.0.0 Safari/537.36", .android, .tablet, nil),
        Case(
            "Mozilla/5.0 (Linux; Android 10; SM-G960F) \(chromeKit) Chrome/96.0.4664.45 Mobile Safari/537.36",
            .android,
            .phone,
            "10"
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 13; SM-S911B) \(chromeKit) SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36",
            .android,
            .phone,
            "13"
        ),
        // HarmonyOS 2 to 4 runs the apps of Android.
        Case(
            "Mozilla/5.0 (Linux; Android 12; HarmonyOS; ABC-AN00; HMSCore 6.13.0.302) \(chromeKit) Chrome/114.0.5735.196 Mobile Safari/537.36",
            .android,
            .phone,
            "12"
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 12; HarmonyOS; DBY-W09; HMSCore 6.11.0.302) \(chromeKit) Chrome/99.0.4844.88 HuaweiBrowser/13.0.4.302 Safari/537.36",
            .android,
            .tablet,
            "12"
        ),
        Case(
            "Mozilla/5.0 (Linux; HarmonyOS 3.0; ABC-AL00) \(chromeKit) Chrome/99.0.4844.88 Mobile Safari/537.36",
            .android,
            .phone,
            nil
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 13; SM-S911B; wv) \(chromeKit) Version/4.0 Chrome/115.0.0.0 Mobile Safari/537.36 GSA/14.25.29.arm64",
            .android,
            .phone,
            "13",
            inApp: true
        ),
        Case("Mozilla/5.0 (Android 14; Mobile; rv:125.0) Gecko/125.0 Firefox/125.0", .android, .phone, "14"),
        Case("Mozilla/5.0 (Android 13; Tablet; rv:109.0) Gecko/114.0 Firefox/114.0", .android, .tablet, "13"),
        Case(
            "Mozilla/5.0 (Linux; Android 12; SM-T500) \(chromeKit) Chrome/110.0.0.0 Safari/537.36",
            .android,
            .tablet,
            "12"
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 11; CUBOT_X18_Plus) \(chromeKit) Chrome/96.0.4664.104 Mobile Safari/537.36",
            .android,
            .phone,
            "11"
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 9; CUBOT POWER) \(chromeKit) Chrome/91.0.4472.120 Mobile Safari/537.36",
            .android,
            .phone,
            "9"
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A.230803.041; wv) \(chromeKit) Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36",
            .android,
            .phone,
            "14",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 13; SM-A536B Build/TP1A.220624.014; wv) \(chromeKit) Version/4.0 Chrome/123.0.6312.118 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/458.0.0.54.108;]",
            .android,
            .phone,
            "13",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 13; SM-A536B Build/TP1A.220624.014; wv) \(chromeKit) Version/4.0 Chrome/123.0.6312.118 Mobile Safari/537.36 Instagram 326.0.0.42.90 Android (33/13; 450dpi; 1080x2177; samsung; SM-A536B; a53x; s5e8825; en_GB; 589000000)",
            .android,
            .phone,
            "13",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 16; Pixel 10 Pro XL Build/CP1A.260305.018; wv) \(chromeKit) Version/4.0 Chrome/146.0.7680.174 Mobile Safari/537.36 MetaIAB Facebook",
            .android,
            .phone,
            "16",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 12; M2102J20SG) \(chromeKit) Chrome/107.0 Mobile Safari/537.36 trill_2022803040 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/musical_ly BytedanceWebview/d8a21c6",
            .android,
            .phone,
            "12",
            inApp: true
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 9; AFTMM) \(chromeKit) Silk/120.1 like Chrome/120.0 Safari/537.36",
            .android,
            .tv,
            "9"
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 10; BRAVIA 4K VH2) \(chromeKit) Chrome/98.0 Safari/537.36",
            .android,
            .tv,
            "10"
        ),
        Case(
            "Mozilla/5.0 (Linux; Android 7.1.2; KFMUWI) \(chromeKit) Silk/108.4.6 like Chrome/108.0 Safari/537.36",
            .android,
            .tablet,
            "7.1.2"
        ),
    ]

    static let others = [
        Case(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chromeKit) Chrome/124.0.0.0 Safari/537.36",
            .windows,
            .desktop,
            "10.0"
        ),
        Case(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chromeKit) Chrome/124.0.0.0 Safari/537.36 Edg/124.0.2478.51",
            .windows,
            .desktop,
            "10.0"
        ),
        Case(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0",
            .windows,
            .desktop,
            "10.0"
        ),
        Case("Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko", .windows, .desktop, "6.1"),
        Case(
            "Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Win64; x64; Trident/5.0; Tablet PC 2.0)",
            .windows,
            .desktop,
            "6.1"
        ),
        Case(
            "Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15063",
            .other,
            .phone,
            nil
        ),
        Case("Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18", .windows, .desktop, "6.1"),
        Case("Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0", .linux, .desktop, nil),
        Case(
            "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(chromeKit) Chrome/124.0.0.0 Safari/537.36",
            .linux,
            .desktop,
            nil
        ),
        Case("Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1 GNUTLS/3.7.8", .other, nil, nil),
        Case(
            "Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) \(chromeKit) 76.0.3809.146/6.0 TV Safari/537.36",
            .other,
            .tv,
            nil
        ),
        Case("Mozilla/5.0 (Web0S; Linux/SmartTV) \(chromeKit) Chrome/87.0.4280.88 Safari/537.36", .other, .tv, nil),
        Case(
            "Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15",
            .other,
            .other,
            nil
        ),
        Case(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) \(chromeKit) Chrome/111.0.0.0 Safari/537.36 Edge/44.18363.1337",
            .other,
            .other,
            nil
        ),
        Case(
            "Mozilla/5.0 (X11; Linux x86_64; Quest 3) \(chromeKit) OculusBrowser/33.2.0 Chrome/124.0.6367.159 VR Safari/537.36",
            .other,
            .other,
            nil
        ),
        Case(
            "Mozilla/5.0 (Phone; OpenHarmony 5.0) \(chromeKit) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile",
            .other,
            .phone,
            nil
        ),
        Case(
            "Mozilla/5.0 (Tablet; OpenHarmony 5.0) \(chromeKit) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1",
            .other,
            .tablet,
            nil
        ),
        Case(
            "Mozilla/5.0 (Phone; HarmonyOS 5.0.1) \(chromeKit) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile",
            .other,
            .phone,
            nil
        ),
        Case("Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5", .other, .phone, nil),
    ]

    @Test(arguments: apple + android + others)
    func browserRevealsItsSystem(one: Case) {
        let agent = UserAgent(one.agent)
        #expect(agent.botClass == nil)
        #expect(agent.platform == one.platform)
        #expect(agent.device == one.device)
        #expect(agent.osVersion?.description == one.version)
        #expect(agent.inAppBrowser == one.inApp)
    }

    private static let iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) \(iOSKit) Mobile/23C55"
    private static let webView =
        "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) \(chromeKit) Version/4.0 Chrome/144.0.0.0 Mobile Safari/537.36"

    @Test(
        arguments: [
            (
                "\(iPhone) Instagram 424.1.0.31.54 (iPhone18,4; iOS 26_4_1; en_GB; scale=3.00) NW/3 Safari/604.1",
                .instagram
            ),
            ("\(iPhone) [FBAN/MessengerForiOS;FBAV/460.0.0;FBDV/iPhone14,5;FBSN/iOS;FBSV/26.0]", .messenger),
            ("\(webView) [FB_IAB/Orca-Android;FBAV/460.0.0.37.108;]", .messenger),
            ("\(iPhone) Barcelona 414.1.0.26.79 (iPhone14,7; iOS 26_2; pt_BR; pt; scale=3.00; IABMV/1)", .threads),
            ("\(webView) [FB_IAB/FB4A;FBAV/458.0.0.54.108;]", .facebook), ("\(webView) MetaIAB Facebook", .facebook),
            ("\(iPhone) [FBAN/FBIOS;FBAV/531.0.0;FBSN/iOS;FBSV/26.0.1;FBLC/de_DE]", .facebook),
            ("\(iPhone) musical_ly_29.3.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/GB", .tikTok),
            ("\(webView) trill_2022803040 JsSdk/1.0 AppName/musical_ly BytedanceWebview/d8a21c6", .tikTok),
            ("\(iPhone) Twitter for iPhone/9.62", .x), ("\(iPhone) [LinkedInApp]/9.29.6104", .linkedIn),
            ("\(iPhone) Snapchat/12.74.0.40 (like Safari/8617.2.4.10.7, panda)", .snapchat),
            ("\(iPhone) [Pinterest/iOS]", .pinterest), ("\(iPhone) Safari Line/14.2.0", .line),
            ("\(webView);KAKAOTALK 2610580", .kakaoTalk), ("\(iPhone) MicroMessenger/8.0.34 NetType/WIFI", .weChat),
            ("\(webView) Telegram-Android/11.4.2 (Google Pixel 8; Android 14)", .telegram),
            ("\(iPhone) GSA/360.1.737798518 Safari/604.1", .google), (iPhone, nil), (webView, nil),
            ("\(iPhone) Version/26.0 Safari/604.1", nil), ("Slackbot-LinkExpanding 1.0 instagram", nil),
        ] as [(String, InAppBrowser?)]
    )
    func browserOfAnAppIsNamed(_ text: String, app: InAppBrowser?) {
        let agent = UserAgent(text)
        #expect(agent.app == app)
        #expect(agent.inAppBrowser == true || app == nil)
    }

    @Test(arguments: [
        "", " ", "/", "://", "Android", "android 99999999999999999999999999", "iPhone OS ______", "iPhone OS 1_",
        "os os os 1", "NT", "Version/",
        "\u{0}", "é", "Mozilla/5.0 (Linux; Android \u{1F600}; K)", String(repeating: "a-", count: 5_000),
        String(repeating: "bot ", count: 5_000), String(repeating: "Android 1.", count: 5_000),
        String(repeating: "\u{1F600}", count: 200),
    ])
    func nothingThatIsSentTraps(agent: String) {
        #expect(UserAgent(agent) == UserAgent(String(decoding: agent.utf8.prefix(512), as: UTF8.self)))
    }

    @Test func bytesAfterTheFirst512AreNotRead() {
        let long = "Mozilla/5.0 (X11; Linux x86_64) Firefox/125.0 " + String(repeating: " ", count: 500)
        #expect(UserAgent(long + "Googlebot/2.1").botClass == nil)
        #expect(UserAgent("Mozilla/5.0 (X11; Linux x86_64) Firefox/125.0 Googlebot/2.1").botClass == .search)
    }
}
