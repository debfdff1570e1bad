extension DestinationPolicy {
    /// Schemes that a link may never lead to, whatever the settings allow.
    public static let forbiddenSchemes: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "content", "intent", "view-source",
        "jar", "ws", "wss", "ftp", "android-app", "chrome", "resource",
    ]

    /// Whether a scheme belongs to a system, a browser or a store, so that no tenant can own it. A link may lead to one
    /// that is not forbidden if the settings allow it.
    public static func isUnownable(_ scheme: String) -> Bool {
        forbiddenSchemes.contains(scheme) || unownableSchemes.contains(scheme)
            || unownablePrefixes.contains { scheme.utf8.starts(with: $0.utf8) }
    }

    /// Sources, by line: the registry of IANA (RFC 7595), for schemes that systems open with their own apps; Android's
    /// Common Intents; Apple's URL Scheme Reference, and the apps of iOS and macOS; browsers; then the documents of Google
    /// Play, Amazon Appstore, Huawei AppGallery, Galaxy Store, GetApps, the stores of OPPO and vivo, ONE store, Tencent
    /// MyApp, F-Droid and the Mac App Store about links to an app's page.
    private static let unownableSchemes: Set<String> = [
        "http", "https", "mailto", "tel", "sms", "geo", "callto", "webcal", "search-ms",
        "smsto", "mms", "mmsto", "voicemail", "package", "android.resource", "google.navigation",
        "facetime", "facetime-audio", "facetime-prompt", "telprompt", "imessage", "maps", "shortcuts", "app-settings",
        "prefs", "app-prefs", "calshow", "photos-redirect", "shareddocuments", "music", "musics", "podcasts", "ibooks",
        "applenews", "applenewss", "message",
        "chrome-extension", "moz-extension", "safari-web-extension", "googlechrome", "googlechromes", "microsoft-edge",
        "market", "amzn", "appmarket", "hiapplink", "samsungapps", "mimarket", "oppomarket", "oaps", "vivomarket",
        "onestore", "tmast", "fdroid.app", "macappstore", "macappstores", "itms", "itmss",
    ]

    /// Families of schemes: Apple's stores and systems, Safari, and Windows with Microsoft Store.
    private static let unownablePrefixes = ["itms-", "x-apple", "x-safari-", "ms-"]
}
