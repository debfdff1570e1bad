import LinkRouting
import TestSupport

/// Random settings, tables, contexts and links, as JSON documents and texts.
struct RandomTenant {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let words = ["a", "b", "shop", "Sale", "x-1", "é", "p q"]
    private static let hosts = [
        "go.acme.com", "shop.acme.link", "other.acme.link", "www.acme.com", "xn--bcher-kva.example",
    ]

    // MARK: Settings

    mutating func settings() -> String {
        let app = #"{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.app"\#(stores())}"#
        let more = [
            #"{"id": "droid", "platform": "android", "package": "com.acme.app", "stores": [{"kind": "playStore"}]}"#,
            #"{"id": "clip", "platform": "ios", "kind": "clip", "teamID": "ABCDE12345", "bundleID": "com.acme.clip"}"#,
            #"{"id": "beta", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.b", "environments": ["t"]}"#,
        ].filter { _ in chance(50) }
        var apps = [app] + more
        apps.shuffle(using: &random)
        var domains = [#""go.acme.com""#, #"{"host": "www.acme.com", "serves": "association"}"#, #""*.acme.link""#]
        if chance(30) { domains.append(#""bücher.example""#) }
        if chance(20) { domains.append(#"{"host": "go.acme.com", "port": 8443}"#) }
        let schemes = pick(
            [
                #"["acme"]"#, #"["acme", {"name": "acmeopen", "host": "ignore"}]"#,
                #"[{"name": "acme", "host": ["open", "app"]}]"#, "[]",
            ]
        )
        var members = [
            #""domains": [\#(domains.joined(separator: ", "))]"#, #""schemes": \#(schemes)"#,
            #""apps": [\#(apps.joined(separator: ", "))]"#,
        ]
        if chance(50) {
            members.append(
                #""destinations": {"hosts": ["www.acme.com", "*.partner.example"], "schemes": ["acme"], "http": \#(chance(50))}"#
            )
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func stores() -> String {
        chance(60) ? #", "stores": [{"kind": "appStore", "id": "123456789"}]"# : ""
    }

    // MARK: Tables

    /// Which routes of a table an app decides about.
    enum Secrets { case none, some }

    mutating func table(_ secrets: Secrets) -> String {
        var defaults: [String] = []
        if chance(50) {
            defaults.append(#""fallback": {"web": "https://www.acme.com/{path}", "association": "open"}"#)
        } else if chance(30) {
            defaults.append(#""fallback": {"open": {"screen": "home"}}"#)
        }
        if chance(20) { defaults.append(#""caseSensitive": false"#) }
        if chance(20) { defaults.append(#""trailingSlash": "strict""#) }
        if chance(20) { defaults.append(#""plusIsSpace": true"#) }
        let routes = (0..<(1 + below(10))).map { route(id: "r\($0)", secrets) }
        return
            #"{"formatVersion": 1, "defaults": {\#(defaults.joined(separator: ", "))}, "routes": [\#(routes.joined(separator: ", "))]}"#
    }

    private mutating func route(id: String, _ secrets: Secrets) -> String {
        let (path, names) = pattern()
        var members = [
            #""id": "\#(id)""#, #""path": "\#(path)""#, #""owner": "team", "note": "internal", "tags": ["t"]"#,
        ]
        if chance(20) { members.append(#""host": "\#(pick(["shop.acme.link", "*.acme.link", "go.acme.com"]))""#) }
        if chance(20) { members.append(#""caseSensitive": \#(chance(50))"#) }
        if chance(20) { members.append(#""trailingSlash": "\#(pick(["strict", "ignore"]))""#) }
        if chance(30) {
            members.append(
                #""query": {"q": \#(pick([#""present""#, #""absent""#, #""int""#, #""int = 1""#, #"{"oneOf": ["1", "a"]}"#]))}"#
            )
        }
        if chance(10) { members.append(##""fragment": "\##(pick(["top", "/a/b"]))""##) }
        if chance(50) { members.append(#""when": \#(condition(depth: 2))"#) }
        if secrets == .some, chance(20) { members.append(#""audience": "server""#) }
        if chance(8) {
            members.append(#""block": "not here""#)
            return "{\(members.joined(separator: ", "))}"
        }
        members += target(names)
        if chance(15) { members.append(experiment()) }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func target(_ names: [String]) -> [String] {
        var members: [String] = []
        let arguments = names.map { #""\#($0)": "{\#($0)}""# }.joined(separator: ", ")
        if chance(70) {
            let stack = chance(30) ? #", "stack": ["home", "detail"]"# : ""
            members.append(#""open": {"screen": "detail", "arguments": {\#(arguments)}\#(stack)}"#)
        }
        if chance(40) || members.isEmpty { members.append(#""web": "https://www.acme.com/w""#) }
        if chance(20) { members.append(#""store": \#(pick(["true", #"{"campaign": "spring"}"#]))"#) }
        if chance(20) {
            members.append(
                #""minimumVersion": \#(pick([#""3.0""#, #"{"ios": "2.5", "droid": "9"}"#, #"{"build": 400}"#]))"#
            )
        }
        if chance(15) { members.append(#""signIn": "\#(pick(["required", "optional"]))""#) }
        if chance(30) { members.append(#""forward": \#(pick([#""all""#, #""none""#, #"["q"]"#]))"#) }
        if chance(15) { members.append(#""data": {"k": [1, 2.50, null]}"#) }
        if chance(10), let name = names.first { members.append(#""sensitive": ["\#(name)"]"#) }
        return members
    }

    private mutating func experiment() -> String {
        #""experiment": {"id": "e", "variants": [{"name": "one", "web": "https://www.acme.com/1"}, {"name": "two", "weight": 3, "signIn": "required"}]}"#
    }

    /// A pattern and the names of its parameters.
    private mutating func pattern() -> (String, [String]) {
        var (path, names) = ("", [String]())
        for index in 0..<below(4) {
            let name = "p\(index)"
            switch below(10) {
            case 0...4: path += "/" + pick(["a", "b", "shop", "Sale", "x-1"])
            case 5, 6: (path, names) = (path + "/{\(name)}", names + [name])
            case 7: (path, names) = (path + "/{\(name):\(pick(["int", "slug", "int(1..9)"]))}", names + [name])
            case 8: path += "/*"
            default: (path, names) = (path + "/x-{\(name)}", names + [name])
            }
        }
        if chance(20) { (path, names) = (path + "/{rest...}", names + ["rest"]) }
        return (path.isEmpty ? "/" : path, names)
    }

    private mutating func condition(depth: Int) -> String {
        if depth > 0, chance(30) {
            switch below(3) {
            case 0: return #"{"not": \#(condition(depth: depth - 1))}"#
            case 1: return #"[\#(condition(depth: depth - 1)), \#(condition(depth: depth - 1))]"#
            default:
                return #"{"authenticated": true, "anyOf": [\#(condition(depth: depth - 1)), \#(condition(depth: 0))]}"#
            }
        }
        return pick(
            [
                #"{"platform": "ios"}"#, #"{"device": ["phone", "tablet"]}"#, #"{"osVersion": {"from": "17"}}"#,
                #"{"appVersion": {"from": "2", "until": "3.5"}}"#, #"{"appBuild": {"from": 400}}"#,
                #"{"locale": ["en", "de"]}"#, #"{"country": ["GB", "FR"]}"#, #"{"authenticated": true}"#,
                #"{"traits": {"plan": ["pro"]}}"#, #"{"traits": {"plan": ["free"], "beta": [true]}}"#,
                #"{"inAppBrowser": false}"#,
                #"{"time": {"from": "2027-01-01T00:00:00Z", "until": "2027-02-01T00:00:00Z"}}"#,
                #"{"rollout": 50}"#, #"{"apps": ["ios", "clip"]}"#, #"{"country": ["GB"], "platform": "ios"}"#,
            ]
        )
    }

    // MARK: Requests

    mutating func context() -> LinkContext {
        var context = LinkContext(installed: chance(90))
        context.app = pick([nil, AppID("ios"), AppID("droid"), AppID("clip")])
        context.platform = pick([nil, .ios, .ios, .android, .other])
        context.device = pick([nil, .phone, .tablet, .desktop])
        context.osVersion = pick([nil, "17.4", "16"]).flatMap { Version($0) }
        context.appVersion = pick([nil, "1.0", "2.5", "3.5.1"]).flatMap { Version($0) }
        context.appBuild = pick([nil, 100, 400])
        context.locale = pick([[], ["en-GB"], ["fr", "de"]]).compactMap { LanguageTag($0) }
        context.country = pick([nil, nil, "GB", "fr", "US"])
        context.authenticated = pick([nil, true, false])
        if chance(50) { context.traits["plan"] = [pick(["pro", "free"])] }
        if chance(30) { context.traits["beta"] = ["true"] }
        context.stickyKey = pick([nil, "install-\(below(100))"])
        context.inAppBrowser = pick([nil, false, true])
        let now = pick(["2026-06-01T00:00:00Z", "2027-01-15T12:00:00Z", "2028-01-01T00:00:00Z"])
        context.now = Timestamp(now)
        return context
    }

    mutating func link() -> String {
        if chance(4) {
            return pick(["", "no link", "https://", "https://go.acme.com/a/../b", "acme://%00", "https://[::1]/a"])
        }
        var path = ""
        for _ in 0..<below(5) {
            path +=
                "/" + pick(["a", "A", "b", "shop", "SHOP", "Sale", "x-1", "x-7", "5", "12", "a-b", "%C3%A9", "p%20q"])
        }
        if chance(20) { path += "/" }
        if chance(40) { path += "?" + pick(["q=1", "q=a", "q", "q=5&q=6", "z=1", "q=%2B", "q=a+b", "utm=x&q=7"]) }
        if chance(20) { path += "#" + pick(["top", "/a/b", "x"]) }
        switch below(10) {
        case 0, 1: return "acme:/" + pick(["", "/"]) + path
        case 2: return "acmeopen://open" + path
        case 3: return "https://" + pick(["evil.example", "acme.link", "go.acme.com:8443"]) + path
        default: return pick(["https", "https", "http", "HTTPS"]) + "://" + pick(Self.hosts) + path
        }
    }

    // MARK: Chance

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
    mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
