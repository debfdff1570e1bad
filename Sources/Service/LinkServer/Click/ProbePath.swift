/// Paths that browsers, crawlers and scanners request on every host, without a link that leads there.
enum ProbePath {
    /// Whether a path, with or without a query, is one of them. Letter case is ignored.
    static func matches(_ path: String) -> Bool {
        let segments = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            .split(separator: UInt8(ascii: "/"), maxSplits: mostSegments)
            .map { String(Substring($0)).lowercased() }
        guard let first = segments.first, let last = segments.last else { return false }
        return folders.contains(first)
            || files.contains(last)
            || icons.contains(where: last.hasPrefix)
            || endings.contains(where: last.hasSuffix)
            // A hidden file, such as ".env" and ".git/config".
            || segments.contains { $0.hasPrefix(".") && !$0.hasPrefix("..") && $0.utf8.count > 1 }
    }

    /// The text behind so many slashes counts as one segment.
    private static let mostSegments = 16

    private static let icons = ["favicon", "apple-touch-icon", "android-chrome-", "mstile-", "safari-pinned-tab"]

    private static let files: Set<String> = [
        "robots.txt", "sitemap.xml", "sitemap_index.xml", "ads.txt", "app-ads.txt", "humans.txt", "security.txt",
        "llms.txt",
        "browserconfig.xml", "crossdomain.xml", "clientaccesspolicy.xml", "manifest.json", "manifest.webmanifest",
        "site.webmanifest", "service-worker.js", "sw.js", "web.config",
    ]

    private static let folders: Set<String> = [
        "wp-admin", "wp-content", "wp-includes", "wp-json", "wordpress", "phpmyadmin", "pma", "cgi-bin", "actuator",
        "server-status", "_ignition", "hnap1", "boaform", "solr", "owa", "autodiscover",
    ]

    private static let endings = [
        ".php", ".asp", ".aspx", ".jsp", ".cgi", ".env", ".bak", ".sql", ".ini", ".pem", ".tar.gz",
    ]
}
