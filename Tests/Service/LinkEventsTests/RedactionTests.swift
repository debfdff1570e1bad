import Crypto
import Foundation
import LinkRouting
import Networking
import Testing

@testable import LinkEvents

struct RedactionTests {
    private static let open = Redaction(recordQuery: [], unmatchedPath: .full, address: .truncated)

    /// Resolves a link with one route for `path`. `extra` adds members, such as `sensitive`, which names parameters
    /// that are never recorded.
    private func resolve(_ text: String, path: String, extra: String = "") throws -> (link: DeepLink, Resolution) {
        let json = """
            {"identity": {"domains": ["go.acme.com", "*.acme.link"], "schemes": ["acme"],
              "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.app"}]},
             "table": {"defaults": {"fallback": {"web": "https://go.acme.com/"}}, "routes":
              [{"id": "a", "path": "\(path)", "open": {"screen": "S"} \(extra)}]}}
            """
        let node = try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 10_000))
        let identity = try Identity(try DocumentField(try #require(node["identity"]), path: "").anyObject())
        let table = try RouteTable(DocumentField(try #require(node["table"]), path: ""))
        let link = try DeepLink.parse(text)
        return (link, Router(identity: identity, table: table).resolve(link, in: LinkContext(platform: .ios)))
    }

    @Test(arguments: [
        ("/product/{id}", "", "https://go.acme.com/product/1", "/product/1"),
        ("/product/{id}", #", "sensitive": ["id"]"#, "https://go.acme.com/product/1", "/product/{id}"),
        ("/product/{id}", #", "sensitive": ["id"]"#, "https://go.acme.com/product/1/", "/product/{id}"),
        ("/{a}/{b}", #", "sensitive": ["a"]"#, "https://go.acme.com/x/y", "/{a}/y"),
        ("/{a}/{b}", #", "sensitive": ["a", "b"]"#, "acme://secret/too", "/{a}/{b}"),
        ("/files/{name}.{ext}", #", "sensitive": ["name"]"#, "https://go.acme.com/files/me.pdf", "/files/{name}.pdf"),
        ("/i-{a}-{b}-z", #", "sensitive": ["a", "b"]"#, "https://go.acme.com/i-1-2-z", "/i-{a}-{b}-z"),
        ("/d/{p...}", #", "sensitive": ["p"]"#, "https://go.acme.com/d/x/y/z", "/d/{p}"),
        ("/d/{p...}", #", "sensitive": ["p"]"#, "https://go.acme.com/d", "/d"),
        ("/d/{p...}", "", "https://go.acme.com/d/x/y", "/d/x/y"),
        ("/t/{x}", "", "https://go.acme.com/t/a%2Fb", "/t/a%2Fb"),
        ("/t/{x}", "", "https://go.acme.com/t/a%25b%7Bc%7D", "/t/a%25b%7Bc%7D"),
        ("/t/{x}", #", "sensitive": ["x"]"#, "https://go.acme.com/t/%F0%9F%98%80", "/t/{x}"),
        ("/", "", "https://go.acme.com", "/"),
    ]) func pathShowsSensitiveParametersByName(_ path: String, _ extra: String, _ url: String, _ stored: String) throws
    {
        let (link, resolution) = try resolve(url, path: path, extra: extra)
        #expect(resolution.outcome == .matched)
        #expect(Self.open.path(of: link, outcome: .matched, parameters: resolution.parameters) == stored)
    }

    /// `é` differs from `e` with a combining accent.
    @Test func namesAreComparedByTheirBytes() throws {
        let redaction = Redaction(
            recordQuery: ["caf\u{E9}"],
            recordTraits: ["caf\u{E9}"],
            unmatchedPath: .none,
            address: .none
        )
        let link = try DeepLink.parse("https://go.acme.com/?caf%C3%A9=1&cafe%CC%81=2")
        #expect(redaction.query(of: link, plus: .plus, parameters: []).map(\.value) == ["1"])
        #expect(redaction.traits(["cafe\u{301}": ["2"]]) == nil)
    }

    @Test(arguments: [
        (Redaction.UnmatchedPath.full, "/a/b%2Fc" as String?), (.firstSegment, "/a"), (.none, nil),
        (.shape(literals: []), "/{slug}/{text}"), (.shape(literals: [[UInt8(ascii: "a")]]), "/a/{text}"),
    ]) func unmatchedPathIsWhatTheTenantAllows(_ mode: Redaction.UnmatchedPath, _ stored: String?) throws {
        let redaction = Redaction(recordQuery: [], unmatchedPath: mode, address: .none)
        let link = try DeepLink.parse("https://go.acme.com/a/b%2Fc?q=1#f")
        for outcome in [Outcome.unmatched, .fallback] {
            #expect(redaction.path(of: link, outcome: outcome, parameters: []) == stored)
        }
        let root = try DeepLink.parse("https://go.acme.com/")
        #expect(redaction.path(of: root, outcome: .unmatched, parameters: []) == (mode == .none ? nil : "/"))
    }

    @Test(arguments: [
        ("/7/007/9223372036854775808", "/{int}/{slug}/{hex}"), ("/0/-7", "/{int}/{slug}"),
        ("/2026-11-23/2026-11-2", "/{date}/{slug}"),
        ("/6ba7b810-9dad-11d1-80b4-00C04FD430C8", "/{uuid}"), ("/deadbeefDEADBEEF/deadbeef", "/{hex}/{slug}"),
        ("/jane.doe_1/jane%40doe/%C3%A9/%7Bint%7D", "/{slug}/{text}/{text}/{text}"), ("//x/", "/{slug}"),
        ("/1/2/3/4/5/6/7/8", "/{int}/{int}/{int}/{int}/{int}/{int}/{int}/{int}"),
        ("/1/2/3/4/5/6/7/8/9/x", "/{int}/{int}/{int}/{int}/{int}/{int}/{int}/{int}/{rest}"),
        ("/sale/Sale/sale%20", "/sale/{slug}/{text}"), ("/sa%6Ce", "/sale"),
    ]) func shapeHasTypesInsteadOfValues(_ path: String, _ shape: String) throws {
        let literals: Set<ArraySlice<UInt8>> = [Array("sale".utf8)[...]]
        let redaction = Redaction(recordQuery: [], unmatchedPath: .shape(literals: literals), address: .none)
        let link = try DeepLink.parse("https://go.acme.com\(path)")
        #expect(redaction.path(of: link, outcome: .unmatched, parameters: []) == shape)
    }

    /// A place outside the link must neither trap nor reveal anything.
    @Test func wrongPlacesHideTooMuch() throws {
        let link = try DeepLink.parse("https://go.acme.com/ab/secret")
        let places: [CapturedParameter.Location] = [
            .path(segment: 1, bytes: 0..<100), .path(segment: 1, bytes: 2..<5), .path(segment: 7, bytes: 0..<1),
            .rest(firstSegment: 9),
        ]
        let parameters = places.map {
            CapturedParameter(name: "p", value: .string("x"), text: "x", location: $0, isSensitive: true)
        }
        #expect(Self.open.path(of: link, outcome: .matched, parameters: parameters) == "/ab/{p}{p}")
    }

    @Test func onlyAllowListedItemsAreRecorded() throws {
        let redaction = Redaction(recordQuery: ["utm_source", "q"], unmatchedPath: .none, address: .none)
        let link = try DeepLink.parse(
            "https://go.acme.com/?token=1&utm%5Fsource=a%20b&q&q=%zz&UTM_SOURCE=x&utm_source=c+d&"
        )
        let items = redaction.query(of: link, plus: .plus, parameters: []).map { "\($0.name)=\($0.value)" }
        #expect(items == ["utm_source=a b", "q=", "utm_source=c+d"])
        #expect(redaction.query(of: link, plus: .space, parameters: []).last?.value == "c d")
        #expect(Self.open.query(of: link, plus: .plus, parameters: []).isEmpty)
    }

    /// They are the tenant's own text, unlike items of the visitor's link.
    @Test func itemsThatAShortLinkAddedAreRecorded() throws {
        let redaction = Redaction(recordQuery: ["lang"], unmatchedPath: .full, address: .none)
        let link = try DeepLink.parse("https://go.acme.com/?lang=de&utm_term=7&utm_source=mail&utm_medium=qr")
        func items(_ redaction: Redaction, _ own: Set<String>) -> [String] {
            redaction.query(of: link, plus: .plus, parameters: [], recording: own).map { "\($0.name)=\($0.value)" }
        }
        #expect(items(redaction, ["utm_source", "utm_medium"]) == ["lang=de", "utm_source=mail", "utm_medium=qr"])
        #expect(items(redaction, []) == ["lang=de"])
        #expect(items(Self.open, ["utm_source"]) == ["utm_source=mail"])
    }

    /// The allow-list must not reveal a parameter that a route marks as sensitive.
    @Test func sensitiveItemIsNotRecordedThoughAllowListed() throws {
        let redaction = Redaction(recordQuery: ["code", "utm_source"], unmatchedPath: .full, address: .none)
        let (link, resolution) = try resolve(
            "https://go.acme.com/in?code=s3cret&utm_source=mail&%63ode=again",
            path: "/in",
            extra: #", "query": {"code": {"capture": "string", "as": "pin"}}, "sensitive": ["pin"]"#
        )
        #expect(resolution.outcome == .matched)
        let items = redaction.query(of: link, plus: .plus, parameters: resolution.parameters)
        #expect(items == [Event.QueryItem(name: "utm_source", value: "mail")])
        #expect(redaction.parameters(resolution.parameters) == nil)
    }

    @Test(arguments: [("", "shop.acme.link"), (#", "sensitive": ["who"]"#, "{who}.acme.link")])
    func hostShowsASensitiveLabelByName(_ extra: String, _ stored: String) throws {
        let (link, resolution) = try resolve(
            "https://Shop.acme.link/a",
            path: "/a",
            extra: #", "host": "{who}.acme.link""# + extra
        )
        #expect(resolution.outcome == .matched)
        #expect(Self.open.host(of: link, parameters: resolution.parameters) == stored)
        #expect(Self.open.host(of: try DeepLink.parse("acme://x"), parameters: resolution.parameters) == nil)
    }

    @Test func parametersKeepTheirTypesAndLeaveOutWhatMayNotBeRecorded() throws {
        let (_, resolution) = try resolve(
            "https://go.acme.com/p/7/s?page=2&ref=x#/top",
            path: "/p/{id:int}/{secret}",
            extra: #", "query": {"page": "int", "ref": "string"}, "fragment": "/{part}", "sensitive": ["secret"]"#
        )
        #expect(resolution.outcome == .matched)
        let redaction = Redaction(recordQuery: ["page"], unmatchedPath: .none, address: .none)
        #expect(redaction.parameters(resolution.parameters) == #"{"id":7,"page":2}"#)
        #expect(redaction.parameters([]) == nil)
    }

    @Test(arguments: [
        ("192.0.2.77", "192.0.2.0/24" as String?), ("255.255.255.255", "255.255.255.0/24"), ("0.0.0.0", "0.0.0.0/24"),
        ("::ffff:192.0.2.77", "192.0.2.0/24"), ("::FFFF:c000:24d", "192.0.2.0/24"),
        ("0:0:0:0:0:ffff:192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:abcd:12::1", "2001:db8:abcd::/48"), ("2001:0DB8:0:0:1::1", "2001:db8::/48"), ("::1", "::/48"),
        ("fe80::1%eth0", "fe80::/48"),
        ("192.0.2", nil), ("192.0.2.256", nil), ("192.0.2.+1", nil), ("192.0.02.1", nil), ("1.2.3.4.5", nil), ("", nil),
        (":::", nil), ("1::2::3", nil), ("2001:db8:+1::", nil), ("localhost", nil), ("%", nil),
        ("12345::", nil), ("/tmp/socket", nil),
    ]) func addressIsCutToItsNetwork(_ address: String, _ stored: String?) {
        #expect(NetworkAddress(address).flatMap { Self.open.address($0, key: Data()) } == stored)
    }

    @Test func keyedAddressIsAnHMACUnderTheDaysKey() {
        let redaction = Redaction(recordQuery: [], unmatchedPath: .none, address: .keyed)
        let (today, tomorrow) = (Data(repeating: 1, count: 32), Data(repeating: 2, count: 32))
        func address(_ text: String, key: Data) -> String? {
            NetworkAddress(text).flatMap { redaction.address($0, key: key) }
        }
        let stored = address("192.0.2.77", key: today)
        let code = HMAC<SHA256>.authenticationCode(for: [192, 0, 2, 77], using: SymmetricKey(data: today))
        let digits = code.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(stored == "hmac:" + digits)
        #expect(address("::ffff:192.0.2.77", key: today) == stored)
        #expect(address("192.0.2.78", key: today) != stored)
        #expect(address("192.0.2.77", key: tomorrow) != stored)
        #expect(address("2001:DB8::1", key: today) == address("2001:db8:0::1", key: today))
    }

    @Test(arguments: [
        (["plan": ["pro"], "email": ["a@b.example"], "beta": ["true"]], #"{"beta":"true","plan":"pro"}"# as String?),
        (["plan": ["pro", "team"]], #"{"plan":["pro","team"]}"#), (["plan": [""]], #"{"plan":""}"#),
        (["email": ["a@b.example"]], nil), (["plan": []], nil), (["Plan": ["pro"]], nil), ([:], nil),
    ])
    func onlyListedTraitsAreRecorded(traits: [String: [String]], recorded: String?) {
        let redaction = Redaction(
            recordQuery: [],
            recordTraits: ["plan", "beta"],
            unmatchedPath: .none,
            address: .none
        )
        #expect(redaction.traits(traits) == recorded)
        #expect(Redaction(recordQuery: [], unmatchedPath: .none, address: .none).traits(traits) == nil)
    }

    @Test func endlessTraitsAreCut() throws {
        let redaction = Redaction(recordQuery: [], recordTraits: ["a"], unmatchedPath: .none, address: .none)
        let text = try #require(
            redaction.traits(["a": Array(repeating: String(repeating: "é", count: 100), count: 50)])
        )
        let values = try #require(
            try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 65_536))["a"]?.elements
        )
        #expect(values.count == 16)
        #expect(values.allSatisfy { $0.text == String(repeating: "é", count: 64) })
    }

    @Test func installIsAnHMACOfTheStickyKeyUnderTheTenantsKey() {
        let key = Data(repeating: 1, count: 32)
        var redaction = Redaction(recordQuery: [], installKey: key, unmatchedPath: .none, address: .none)
        let install = redaction.install("install-42 é")
        #expect(install?.description == "e8de150ba52f29fb6e64c6abe9cd5ebf")
        #expect(Redaction.install("install-42 é", key: key) == install)
        #expect(redaction.install("install-43") != install)
        #expect(redaction.install(nil) == nil)
        redaction.installKey = Data(repeating: 2, count: 32)
        #expect(redaction.install("install-42 é") != install)
        redaction.installKey = nil
        #expect(redaction.install("install-42 é") == nil)
    }

    @Test func absentAddressIsAbsent() {
        let redaction = Redaction(recordQuery: [], unmatchedPath: .none, address: .none)
        #expect(redaction.address(NetworkAddress(four: 0xC000_024D), key: Data()) == nil)
    }
}
