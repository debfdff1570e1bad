/// Destinations that no table may have, and the resulting codes: a corpus of open redirects, schemes, line breaks,
/// hosts, users and ports from known attacks.
enum HostileTarget {
    /// Texts with misleading hosts, ports or paths. `invalid` results when the table is read, `destination_not_allowed`
    /// and `web_loop` when it is checked. In each case nothing is published.
    static let pages: [(text: String, code: String)] =
        foreignHosts.map { ($0, "destination_not_allowed") } + loops.map { ($0, "web_loop") }
        + unreadable.map { ($0, "invalid") }

    private static let foreignHosts = [
        "https://evil.test/", "https://evil.test/https://www.acme.test/", "https://www.acme.test.evil.test/",
        "https://evil.test/www.acme.test", "https://evil.test?www.acme.test", "https://evil.test#www.acme.test",
        "https://evil.test#@www.acme.test/", "https://evil.test?@www.acme.test/", "https://evilwww.acme.test/",
        "https://www-acme.test/", "https://wwwacme.test/", "https://acme.test/", "https://a.www.acme.test/",
        "https://evil.test:443/", "https://EVIL.TEST./", "https://%65vil.test/", "https://evil%2Etest/",
        "https://evil。test/", "https://evil.test/{x}", "https://127.0.0.1/", "https://2130706433/",
        "https://0x7f000001/", "https://localhost/", "https://xn--e1awd7f.test/", "https://pages.acme.test/",
        // Cyrillic а and е, and the A-label of the first one.
        "https://www.аcme.test/", "https://www.acme.tеst/", "https://www.xn--cme-5cd.test/", "https://wwẃ.acme.test/",
        "http://evil.test/",
        // The host is allowed, but not without TLS.
        "http://www.acme.test/", "HTTP://WWW.ACME.TEST/", "http://www.acme.test:443/",
    ]

    private static let loops = [
        "https://go.acme.test/", "https://GO.ACME.TEST/x", "https://go.acme.test./x", "https://go.acme.test:443/x",
        "https://go.acme.test:8443/x", "https://%67o.acme.test/", "https://go。acme。test/",
    ]

    private static let unreadable = [
        // Without a scheme, or with a scheme and no host.
        "", "/", "//evil.test", "//evil.test/%2f..", "///evil.test", "/\\evil.test", "\\\\evil.test", "www.acme.test/x",
        "?https://www.acme.test", "#https://www.acme.test", "https:", "https:/", "https://", "https:///",
        "https:www.acme.test",
        "https:/www.acme.test/", "https:///www.acme.test/", "https:////evil.test/", "https:\\\\evil.test",
        "https:/\\evil.test",
        "https://\\evil.test", "https://?x", "https://#x", "https://./", "https://../", "https://.acme.test/",
        "https://www..acme.test/", "://www.acme.test/",
        // A user, or text that some parsers take for one.
        "https://www.acme.test@evil.test/", "https://evil.test@www.acme.test/", "https://u:p@www.acme.test/",
        "https://@www.acme.test/", "https://:@www.acme.test/", "https://www.acme.test:443@evil.test/",
        "https://www.acme.test%40evil.test/", "https://www.acme.test%3A80@evil.test/",
        "https://www.acme.test\\@evil.test/",
        "https://www.acme.test\\.evil.test/", "https://www.acme.test%5C@evil.test/",
        "https://evil.test\\@www.acme.test/",
        "https://www.acme.test%2F@evil.test/", "https://www.acme.test%23@evil.test/",
        "https://www.acme.test%2Eevil.test%2F/",
        // Ports.
        "https://www.acme.test:0443/", "https://www.acme.test:00443/", "https://www.acme.test:65536/",
        "https://www.acme.test:65979/", "https://www.acme.test:4294967739/",
        "https://www.acme.test:18446744073709552059/",
        "https://www.acme.test:-1/", "https://www.acme.test:+443/", "https://www.acme.test: 443/",
        "https://www.acme.test:443x/",
        "https://www.acme.test:0x1bb/", "https://www.acme.test:443:443/", "https://www.acme.test:%34%34%33/",
        "https://www.acme.test:٤٤٣/", "https://www.acme.test::443/",
        // White space and control characters, raw and escaped.
        " https://www.acme.test/", "https://www.acme.test/ ", "\thttps://www.acme.test/", "ht\ttps://evil.test/",
        "https://www.acme\t.test/", "https://www.acme.test/\t", "https://evil.test\n.www.acme.test/",
        "https://www.acme.test/\r\nSet-Cookie: a=b", "https://www.acme.test/\nLocation: https://evil.test/",
        "https://www.acme.test/?a=\r\n", "https://www.acme.test/#\r", "https://www.acme.test/\u{0}",
        "https://www.acme.test\u{0}/",
        "https://www.acme.test/\u{7f}", "https://www.acme.test/%0d%0aSet-Cookie:%20a=b", "https://www.acme.test/%0A",
        "https://www.acme.test/%00", "https://www.acme.test%00.evil.test/", "https://www.acme.test%0d%0a/",
        "https://www.acme.test/%7F", "https://www.acme.test%20/", "https://www.acme.test%09/",
        // Paths with dot segments, and misleading escapes.
        "https://www.acme.test/../x", "https://www.acme.test/a/../../x", "https://www.acme.test/./x",
        "https://www.acme.test/..",
        "https://www.acme.test/%2e%2e/x", "https://www.acme.test/.%2E/x", "https://www.acme.test/%2e",
        "https://www.acme.test/..%2fx",
        "https://www.acme.test/a%2f..%2f..%2fx", "https://www.acme.test/..%5cx", "https://www.acme.test/a\\..\\x",
        "https://www.acme.test/%", "https://www.acme.test/%z", "https://www.acme.test/%2",
        "https://www.acme.test/%u002e",
        "https://www.acme.test/%c0%ae%c0%ae/", "https://www.acme.test/%c0%af", "https://www.acme.test/%ed%a0%80",
        "https://www.acme.test/%ff", "https://www.acme.test%2/", "https://www.acme.test%zz/",
        // Markup.
        "https://www.acme.test/<script>", "https://www.acme.test/\"onload=\"", "https://www.acme.test/`",
        "https://www.acme.test/?<svg>", "https://www.acme.test/#\"><b>",
        // Invalid hosts, and hosts that browsers read differently.
        "https://[::1]/", "https://[::ffff:7f00:1]/", "https://[www.acme.test]/", "https://[::1",
        "https://www.acme.test]/",
        "https://www.acme.test,evil.test/", "https://www.acme.test;evil.test/", "https://www.acme.test|evil.test/",
        "https://*.acme.test/", "https://www.acme.test$evil.test/", "https://www.acme.test&evil.test/",
        "https://(evil.test)/",
        "https://ｗｗｗ.acme.test/", "https://www.ａcme.test/", "https://www.acme℀test/",
        "https://www.acme.test⁄evil.test/",
        "https://www.acme.test／evil.test/", "https://www.acme.test＠evil.test/", "https://www.acme.test﹖evil.test/",
        "https://www.acme.test\u{200b}/", "https://www.ac\u{ad}me.test/", "https://www.\u{202e}emca.test/",
        "https://-www.acme.test/",
        "https://xn--a.test/", "https://xn--www-.acme.test/",
        // Parameters in places where none is allowed.
        "{x}", "{x}://www.acme.test/", "{x}https://www.acme.test/", "https{x}://www.acme.test/", "https:{x}",
        "https:/{x}",
        "https://{x}", "https://{x}/", "https://{x}.acme.test/", "https://www.{x}/", "https://www.acme.test{x}",
        "https://www.acme.test{x}/", "https://www.acme.test:{x}/", "https://www.acme.test:4{x}/",
        "https://{x}@www.acme.test/",
        "https://www.acme.test@{x}/", "https://www.acme.test/{x", "https://www.acme.test/}", "https://www.acme.test/{}",
        "https://www.acme.test/{a.b}",
        // URLs that are not web pages.
        "acme://x", "javascript:alert(1)", "mailto:a@evil.test", "data:text/html,x", "intent://x#Intent;end",
        "about:blank",
        "https://www.acme.test/" + String(repeating: "a", count: 8_192), String(repeating: "a", count: 9_000) + "://x",
    ]

    /// URIs with which no app may be opened.
    static let uris: [(text: String, code: String)] =
        (forbidden + unlisted).map { ($0, "destination_not_allowed") } + unreadableURIs.map { ($0, "invalid") }

    /// Schemes that run code, read files or redirect, in any spelling.
    private static let forbidden = [
        "javascript:alert(1)", "JAVASCRIPT:alert(1)", "JaVaScRiPt:alert(1)", "javascript://www.acme.test/?%0aalert(1)",
        "javascript:{x}", "javascript://{x}", "javascript:", "javascript:/*--*/alert(1)", "vbscript:msgbox(1)",
        "VBScript:{x}",
        "data:text/html;base64,PHNjcmlwdD4=", "data:,{x}", "DATA:text/html,x", "data://text/html", "file:///etc/passwd",
        "FILE://localhost/etc/passwd", "file:{x}", "blob:https://www.acme.test/x", "about:blank", "about:srcdoc",
        "filesystem:https://www.acme.test/temporary/x", "content://com.android.providers/x",
        "view-source:https://www.acme.test/",
        "View-Source:javascript:alert(1)", "jar:https://evil.test/x.jar!/", "ws://evil.test/", "wss://evil.test/",
        "ftp://evil.test/", "android-app://com.evil/https/evil.test", "chrome://settings", "resource://gre/",
        "intent://x#Intent;scheme=https;S.browser_fallback_url=https%3A%2F%2Fevil.test;end",
        "intent:#Intent;action=x;end",
        "intent:{x}", "INTENT://{x}#Intent;package=com.evil;S.browser_fallback_url={x};end",
    ]

    private static let unlisted = [
        "acme2://x", "acm://x", "acme+x://x", "xacme://x", "other:x", "mailto:a@evil.test", "tel:+1", "sms:+1",
        "facetime:a",
        "itms-services://?action=download-manifest&url=https://evil.test/", "shortcuts://run", "https://evil.test/",
        "https://www.acme.test.evil.test/", "http://www.acme.test/", "market://details?id=com.evil", "fb-messenger://x",
        "ms-msdt:/id", "search-ms:query=x", "steam://x", "a.b-c+d:x",
    ]

    private static let unreadableURIs = [
        "", "acme", "acme/", "/x", "//x", ":x", "{x}", "{x}:x", "acme{x}:x", "1acme:x", "+acme:x", "-acme:x", ".acme:x",
        // Spellings that a browser would read as javascript.
        " javascript:alert(1)", "\tjavascript:alert(1)", "\u{1}javascript:alert(1)", "java\tscript:alert(1)",
        "java\nscript:alert(1)", "java\r\nscript:alert(1)", "java\u{0}script:alert(1)", "javascript\t:alert(1)",
        "javascript&colon;alert(1)", "javascript&#58;alert(1)", "&#106;avascript:alert(1)", "jav&#x09;ascript:alert(1)",
        "&#x6A;avascript:alert(1)", "javascript%3Aalert(1)", "java%0ascript:alert(1)", "%6aavascript:alert(1)",
        "ｊａｖａｓｃｒｉｐｔ:alert(1)", "javaſcript:alert(1)", "javascrıpt:alert(1)", "jаvascript:alert(1)",
        "java\u{ad}script:alert(1)",
        "java\u{200b}script:alert(1)", "javascript：alert(1)", "javascript:alert(1)\n", "javascript://%0aalert(1)",
        "javascript:<b>", "data:text/html,<script>alert(1)</script>", "java_script:alert(1)", "java script:alert(1)",
        // Misleading first segments.
        "acme://user@host/", "acme://a%40b/", "acme://host:80/", "acme://host%3A80/", "acme://a\\b/", "acme:\\\\evil",
        "acme://..",
        "acme://../x", "acme:..", "acme:/../x", "acme://%2e%2e/", "acme://a/%2e%2e", "acme:%2e%2e%2fx",
        "acme://x/%0d%0a",
        "acme://x\r\n", "acme://x y", "acme://<b>", "acme://%", "acme://%zz", "acme://x/%c0%ae", "acme://x/%00",
        "acme://" + String(repeating: "a", count: 8_192),
    ]

    /// Spellings of an allowed page, and the resulting URL.
    static let canonical: [(text: String, page: String)] = [
        ("HTTPS://WWW.ACME.TEST", "https://www.acme.test"), ("https://www.acme.test./x", "https://www.acme.test/x"),
        ("https://www.acme.test:/x", "https://www.acme.test/x"),
        ("https://www.acme.test:443/x", "https://www.acme.test/x"),
        ("https://www.acme.test:8443/x", "https://www.acme.test:8443/x"),
        ("https://%77ww.acme.test/", "https://www.acme.test/"),
        ("https://www。acme．test/x", "https://www.acme.test/x"), ("https://www.acme.test?x", "https://www.acme.test?x"),
        ("https://www.acme.test#x", "https://www.acme.test#x"),
        ("https://www.acme.test//evil.test", "https://www.acme.test//evil.test"),
        ("https://bücher.test/größe|?q=ü#[ß]", "https://xn--bcher-kva.test/gr%C3%B6%C3%9Fe%7C?q=%C3%BC#%5B%C3%9F%5D"),
        ("https://BÜCHER.test/%C3%9F", "https://xn--bcher-kva.test/%C3%9F"),
        ("https://xn--bcher-kva.test/", "https://xn--bcher-kva.test/"),
        ("https://www.acme.test/https://evil.test/", "https://www.acme.test/https://evil.test/"),
        ("https://www.acme.test/@evil.test", "https://www.acme.test/@evil.test"),
        ("https://www.acme.test/?u=https://evil.test", "https://www.acme.test/?u=https://evil.test"),
    ]
}
