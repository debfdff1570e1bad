/// The words that identify programs, apps and systems. docs/user-agents.md explains their sources and how to add one.
///
/// A word is in lower case and has no version. ``UserAgentScanner`` splits a text into words at each character that is
/// not a letter, digit, `.`, `_` or `-`. A word also matches longer words that continue with one of the last three:
/// `googlebot` matches `Googlebot-Image`.
enum UserAgentWords {
    static let longest = 32

    enum Meaning: Hashable {
        case bot(BotClass)
        case app(InAppBrowser)
        case signs(UserAgent.Signs)
    }

    /// No word is in two lists.
    static let entries: [(word: String, meaning: Meaning)] = {
        var entries: [(word: String, meaning: Meaning)] = []
        for (kind, names) in bots { for word in names.words { entries.append((word, .bot(kind))) } }
        for (app, names) in apps { for word in names.words { entries.append((word, .app(app))) } }
        for (found, names) in signs { for word in names.words { entries.append((word, .signs(found))) } }
        return entries
    }()

    static let meanings = Dictionary(entries.map { ($0.word, $0.meaning) }) { first, _ in first }

    /// Words that identify a bot only at the beginning of a User-Agent: elsewhere, such a word is an ordinary one or an
    /// app.
    static let leading: [String: BotClass] = {
        var leading: [String: BotClass] = [:]
        for (kind, names) in leadingBots { for name in names.words { leading[name] = kind } }
        return leading
    }()

    /// Endings that identify a bot whose name is in no list.
    static let endings: [(ending: [UInt8], kind: BotClass)] = [
        (Array("preview".utf8), .preview), (Array("previewbot".utf8), .preview), (Array("unfurler".utf8), .preview),
        (Array("unfurlbot".utf8), .preview),
        (Array("feedfetcher".utf8), .feed), (Array("rssbot".utf8), .feed), (Array("uptimebot".utf8), .monitor),
        (Array("bot".utf8), .other), (Array("bots".utf8), .other), (Array("crawler".utf8), .other),
        (Array("spider".utf8), .other), (Array("scraper".utf8), .other), (Array("archiver".utf8), .other),
        (Array("linkchecker".utf8), .other),
    ]

    private static let bots: [(BotClass, String)] = [
        (
            .preview,
            """
            aasa-bot bingpreview bluesky-domain-status-classifier dingtalkbot-linkservice discordbot embedly
            evernoterichlinkbot facebookexternalhit facebot flipboardproxy github-camo googleimageproxy groupmebot
            hatenabookmark iframely kakaotalk-scrap keybasebot line-poker linespider linkedinbot mastodon
            mattermost-bot mediumbot-metatagfetcher meta-externalhit microsoftpreview misskey odklbot onebox
            opengraph.io pinterestbot pleroma redditbot skypeuripreview slack-imgproxy slackbot snapurlpreview
            steamchaturllookup summalybot synapse telegrambot tiktokspider ttspider tweetmemebot twilioproxy
            twitterbot vkrobot vkshare yahoomailproxy
            """
        ),
        (
            .search,
            """
            360spider adidxbot adsbot-google algolia amazonbot apis-google applebot baiduspider bingbot blekkobot
            bravebot cliqzbot coccoc coccocbot-web daum daumoa duckduckbot duckduckgo-favicons-bot exabot favicon
            gigabot google-adwords-express google-inspectiontool google-read-aloud google-safety
            google-site-verification google-structured-data-testing googlebot googleother googleproducer
            haosouspider heritrix ichiro jooblebot kagi-fetcher kagibot mail.ru_bot mediapartners-google mojeekbot
            msnbot naverbot nutch officestorebot openindexspider orangebot pangubot petalbot playstore-google
            qwantbot qwantify search.marginalia.nu seekportbot seznambot slurp sogou sosospider
            startpageprivateimageproxy storebot-google stractbot swisscows teoma toutiaospider wotbox yacybot yandex
            yandexaccessibilitybot yandexbot yandeximages yandexmobilebot yandexrenderresourcesbot yeti yisouspider
            youbot zumbot
            """
        ),
        (
            .ai,
            """
            ai2bot aisearchbot amzn-searchbot amzn-user andibot anthropic-ai azureai-searchbot bigsur.ai brightbot
            bytespider ccbot channel3bot chatglm-spider chatgpt-user claude-searchbot claude-user claude-web
            claudebot cloudflare-autorag cohere-ai cohere-training-data-crawler crawl4ai deepseekbot devin diffbot
            duckassistbot facebookbot firecrawlagent gemini-deep-research google-agent google-cloudvertexbot
            google-extended google-notebooklm googleagent-mariner gptbot iaskbot iaskspider imagesiftbot img2dataset
            laion-huggingface-processor linerbot linkupbot manus-user meta-externalagent meta-externalfetcher
            meta-webindexer mistralai-user newsai novellum oai-searchbot omgili omgilibot perplexity-user
            perplexitybot perplexityuser phindbot spawning-ai tavilybot timpibot velenpublicwebcrawler
            webzio-extended
            """
        ),
        (
            .seo,
            """
            ahrefsbot ahrefssiteaudit awariobot backlinkcrawler barkrowler blexbot buzzsumo clickagy cocolyzebot
            contentking dataforseobot deepcrawl domainstatsbot dotbot ezooms linkdex linkdexbot linkfluence
            lipperhey lumar magpie-crawler majestic megaindex.ru mj12bot netestate neticle oncrawl proximic rogerbot
            rytebot screaming semanticbot semrushbot senutobot seobilitybot seokicks seolyt serankingbacklinksbot
            serpstatbot sistrix siteauditbot sitebulb sitecheck-sitecrawl smtbot spbot trendictionbot turnitin
            turnitinbot wappalyzer xovibot zoominfobot
            """
        ),
        (
            .monitor,
            """
            appinsights betteruptimebot binarycanary blackbox catchpoint changedetection.io check_http checkly
            chrome-lighthouse cloudflare-healthchecks cloudflare-traffic-manager dareboost datadog datadogsynthetics
            dotcom-monitor freshpingbot googlestackdrivermonitoring gtmetrix hetrixtools hyperping jetmon
            newrelicbot newrelicsynthetics nodeping ohdear onlineornot.com_bot panopta pingadmin.ru pingdom
            pingdom.com_bot pingdompagespeed pingdomtms prtg prtgcloudbot ptst pulsetic.com ruxitsynthetic sentry
            sentryuptimebot silktide site24x7 siteimprove.com siteuptime.com solarwinds statuscake
            synthetic-monitoring-agent thousandeyes updown.io uptime-kuma uptime.com uptimebot uptimerobot uptrends
            vigil w3c-checklink w3c_validator wormlybot www.uptimedoctor.com zabbix
            """
        ),
        (
            .feed,
            """
            bazqux commafeed feedbin feedblitz feedbot feedburner feeder.co feedfetcher-google feedly feedspot
            feedvalidator flipboardrss freshrss gwene inoreader liferea magpierss miniflux monitorss netnewswire
            netvibes newsblur newsboat openrss overcast page2rss pocketcasts podcasts protopage rss2tg rssapi
            scourrssbot simplepie superfeedr theoldreader.com ttrss
            """
        ),
        (
            .tool,
            """
            aiohttp alamofire apache-httpasyncclient apache-httpclient axios cfnetwork colly commons-httpclient
            crawler4j curl cypress dalvik electron-fetch ghost-inspector go-http-client google-http-java-client
            guzzlehttp headlesschrome http.rb httpie httpunit httpurlconnection httpx httrack insomnia jakarta jsdom
            ktor-client libcurl libwww-perl lwp-request lwp-trivial mechanize ms-office msoffice node-fetch
            node-superagent okhttp phantomjs php-curl-class phpcrawl playwright postmanruntime puppeteer pycurl
            python-httpx python-requests python-urllib python-urllib3 reactor-netty reqwest rest-client restsharp
            scrapy selenium slimerjs snoopy testcafe trafilatura typhoeus undici urlgrabber webdriver wget winhttp
            """
        ),
        (
            .other,
            """
            acunetix-product archive.org_bot bitsightbot bnf.fr_bot censysinspect crawl crawlers expanse feedparser
            ia_archiver internetmeasurement l9explore leakix ltx71 masscan mediatoolkitbot netcraft
            netcraftsurveyagent netsystemsresearch nikto nmap openvas paloaltonetworks sucuri virustotal whatweb
            zgrab
            """
        ),
    ]

    private static let leadingBots: [(BotClass, String)] = [
        (.monitor, "better"), (.feed, "tiny"),
        (
            .preview,
            "bluesky discourse fastmailua friendica hatena lemmy ning notion pinterest snap tumblr valve viber whatsapp"
        ),
        (
            .tool,
            """
            buck bun dart deno fetch go got http http-client hyper java jetty microsoft nim node perl php python
            ruby rust swift uclient-fetch
            """
        ),
    ]

    private static let apps: [(InAppBrowser, String)] = [
        (.instagram, "instagram"), (.messenger, "messengerforios messengerliteforios orca-android"),
        (.threads, "barcelona"), (.facebook, "fb_iab fban fbav metaiab"), (.tikTok, "musical_ly tiktok trill"),
        (.x, "twitter twitterandroid"), (.linkedIn, "linkedinapp"), (.snapchat, "snapchat"), (.pinterest, "pinterest"),
        (.line, "line"), (.kakaoTalk, "kakaotalk"), (.weChat, "micromessenger"), (.telegram, "telegram-android"),
        (.google, "gsa"),
    ]

    private static let signs: [(UserAgent.Signs, String)] = [
        (.iPhone, "iphone ipod"), (.iPad, "ipad"), (.android, "android"), (.windows, "windows"), (.mac, "macintosh"),
        (.linux, "linux x11 cros"),
        // Systems without a platform of their own.
        (.otherSystem, "blackberry kaios meego series60 symbianos tizen web0s webos"),
        (.harmony, "harmonyos openharmony"),
        ([.otherSystem, .console], "nintendo playstation xbox"),
        (
            [.otherSystem, .tv],
            "appletv11 appletv12 appletv14 appletv5 appletv6 hbbtv netcast roku smart-tv smarttv tvos"
        ),
        // Televisions and streaming sticks with Android.
        (
            .tv,
            "aftb aftka aftkm aftkrt aftm aftmm aftn aftr afts aftso001 aftss aftt aftwmst22 bravia crkey googletv tv"
        ),
        ([.otherSystem, .watch], "watchos"), (.console, "oculusbrowser quest"), (.phone, "mobile phone"),
        (.tablet, "tablet"),
        (.webView, "wv"), (.webKit, "applewebkit"),
        // Other apps that show links.
        (.app, "alipayclient aweme bytedancewebview naver weibo zalo"),
        (
            .browser,
            """
            chrome dillo duckduckgo edg edga edge elinks firefox focus konqueror links lynx msie netsurf opera opr
            safari samsungbrowser seamonkey trident ucbrowser ucweb vivaldi w3m yabrowser
            """
        ),
        ([.app, .mobileOnly], "fbios"), ([.browser, .mobileOnly], "crios edgios fxios opios opt"),
        // A manufacturer of phones, not a bot.
        ([], "cubot"),
    ]
}

extension String {
    fileprivate var words: [String] {
        split { $0 == " " || $0 == "\n" }.map(String.init)
    }
}
