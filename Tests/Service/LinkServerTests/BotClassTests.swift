import Testing

@testable import LinkServer

/// Classifies programs by their User-Agent.
struct BotClassTests {
    static let agents: [(BotClass, [String])] = [
        (
            .preview,
            [
                "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
                // Apple's Messages app.
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
                "Twitterbot/1.0",
                "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
                "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
                "Slackbot 1.0 (+https://api.slack.com/robots)",
                "Slack-ImgProxy 0.59 (+https://api.slack.com/robots)", "WhatsApp/2.23.20.0 A", "WhatsApp/0.3.4479 N",
                "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", "TelegramBot (like TwitterBot)",
                "Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)",
                "Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)",
                "Pinterest/0.2 (+http://www.pinterest.com/bot.html)",
                "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
                "Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots",
                "facebookexternalhit/1.1;line-poker/1.0", "Viber/13.3.0.24 CFNetwork/1126 Darwin/19.5.0",
                "http.rb/2.2.2 (Mastodon/1.5.1; +https://example-masto-instance.org/)",
                "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)",
                "Iframely/1.3.1 (+https://iframely.com/docs/about) Atlassian",
                "Mozilla/5.0 (compatible; MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview)",
                "Mozilla/5.0 (compatible; Yahoo Link Preview; https://help.yahoo.com/kb/mail/yahoo-link-preview-SLN23615.html)",
                "ClickUpLinkUnfurler/1.0 (+https://clickup.com)", "AASA-Bot/1.0.0",
                "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; TikTokSpider; ttspider-feedback@tiktok.com)",
            ]
        ),
        (
            .search,
            [
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/27.0.1453 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                "Googlebot-Image/1.0", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
                "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
                "DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)",
                "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
                "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
                "Mozilla/5.0 (compatible; Yeti/1.1; +http://naver.me/bot)",
                "Sogou News Spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)",
                "Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)",
                "Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.88 Safari/537.36",
            ]
        ),
        (
            .ai,
            [
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
                "CCBot/2.0 (https://commoncrawl.org/faq/)",
                "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
                "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
            ]
        ),
        (
            .seo,
            [
                "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
                "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
                "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)",
                "Mozilla/5.0 (compatible; DotBot/1.2; +https://opensiteexplorer.org/dotbot; help@moz.com)",
                "Screaming Frog SEO Spider/19.4",
            ]
        ),
        (
            .monitor,
            [
                "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
                "Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)",
                "Better Uptime Bot Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "Uptime-Kuma/1.23.11", "Site24x7",
                "Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse",
                "Blackbox Exporter/0.24.0", "check_http/v2.4.6 (nagios-plugins 2.4.6)",
            ]
        ),
        (
            .feed,
            [
                "Feedfetcher-Google; (+http://www.google.com/feedfetcher.html; 1 subscribers)",
                "Feedly/1.0 (+http://www.feedly.com/fetcher.html; like FeedFetcher-Google)",
                "Mozilla/5.0 (compatible; Miniflux/2.1.3; +https://miniflux.app)",
                "NetNewsWire (RSS Reader; https://netnewswire.com/)",
                "Tiny Tiny RSS/21.05 (https://tt-rss.org/)", "FreshRSS/1.23.1 (Linux; https://freshrss.org)",
            ]
        ),
        (
            .tool,
            [
                "curl/8.5.0", "Wget/1.21.4", "python-requests/2.31.0", "Python/3.11 aiohttp/3.9.1", "okhttp/4.12.0",
                "Go-http-client/2.0",
                "Java/17.0.9", "Apache-HttpClient/4.5.14 (Java/17.0.9)", "axios/1.6.2", "node", "PostmanRuntime/7.36.0",
                "Dart/3.2 (dart:io)",
                "MyApp/412 CFNetwork/1494.0.7 Darwin/23.4.0",
                "Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A.230805.001)",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36",
                "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17126; Pro)",
                "Mozilla/4.0 (compatible; ms-office; MSOffice 16)",
            ]
        ),
        (
            .other,
            [
                "", "-", "Mozilla/5.0", "Mozilla/5.0 (compatible; Optimizer)", "SomethingNew/1.0", "ExampleBot/1.0",
                "Example Crawler 2",
                "Mozilla/5.0 (compatible; Example; +https://example.com/about)",
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Example-Spider/1.0",
                "ia_archiver-web.archive.org", "Mozilla/5.0 zgrab/0.x",
            ]
        ),
    ]

    @Test(arguments: agents.flatMap { kind, agents in agents.map { (kind, $0) } })
    func programDescribesItsPurpose(kind: BotClass, agent: String) {
        #expect(UserAgent(agent).botClass == kind)
        #expect(UserAgent(agent).inAppBrowser == nil)
    }

    @Test func everyClassHasCases() {
        #expect(Set(Self.agents.map(\.0)) == Set(BotClass.allCases))
    }

    @Test func noWordHasTwoMeanings() {
        #expect(UserAgentWords.meanings.count == UserAgentWords.entries.count)
    }

    @Test func wordsAreWrittenAsTheyAreLookedUp() {
        for word in Array(UserAgentWords.meanings.keys) + Array(UserAgentWords.leading.keys) {
            #expect(word == word.lowercased())
            #expect((1...UserAgentWords.longest).contains(word.utf8.count), "\(word)")
            #expect(word.wholeMatch(of: /[a-z0-9._-]+/) != nil, "\(word)")
        }
    }
}
