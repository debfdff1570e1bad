import LinkRouting
import LinkServer
import Networking
import Synchronization
import TestSupport
import Testing
import fingerpost

/// Files of links, and the requests that they become.
struct LinkImportTests {
    /// A server that creates all links but those with the code `taken`, and notes the requests.
    private final class Server: Sendable {
        let bodies = Mutex<[[JSONNode]]>([])

        var client: AdminClient {
            AdminClient { method, target, headers, body in
                #expect(method == .post && target == "/admin/v1/tenants/shop/short-links")
                #expect(headers.contains { $0 == ("Content-Type", "application/x-ndjson") })
                let links = try (body ?? []).split(separator: UInt8(ascii: "\n")).map { try node($0) }
                self.bodies.withLock { $0.append(links) }
                let results = links.map { link in
                    let code = link["code"]?.text ?? "bcdfghj"
                    let taken = #"{"status":"error","error":{"code":"code_taken","message":"It is taken."}}"#
                    let status = ["old": "exists", "bcdfghj": "reused"][code] ?? "created"
                    return code == "taken" ? taken : #"{"status":"\#(status)"}"#
                }
                return AdminClient.Response(status: 200, bytes: Array(results.map { $0 + "\n" }.joined().utf8))
            }
        }

        var links: [JSONNode] { bodies.withLock { $0.flatMap(\.self) } }
    }

    private func imported(
        _ text: String,
        _ named: [LinkField: String] = [:],
        from origin: LinkField.Origin? = nil,
        urls: [String]? = nil
    ) async throws -> (LinkImport, [JSONNode]) {
        let server = Server()
        var links = LinkImport(
            of: "shop",
            client: server.client,
            named: named,
            origin: origin,
            urls: urls.map { ShortLinkURLs($0) }
        )
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 100) {
            try await links.read(Array(bytes[start..<min(start + 100, bytes.count)]))
        }
        try await links.end()
        return (links, server.links)
    }

    // MARK: Columns

    /// The headers of exports, and the links that their rows become.
    @Test(
        arguments: [
            // Ours
            (
                """
                Code,target,TITLE,note,tags,expires,createdAt,archived,utm_source,utm_content,preview title,Preview_Image
                a,https://acme.com/1,T,"two
                lines","x, y",2027-01-01,2021-05-01 12:33:44 UTC,true,mail,top,P,https://acme.com/p.png
                """,
                #"""
                {"code":"a","target":"https://acme.com/1","title":"T","note":"two\nlines","tags":["x","y"],
                 "utm":{"source":"mail","content":"top"},"preview":{"title":"P","image":"https://acme.com/p.png"},
                 "expires":"2027-01-01T00:00:00.000Z","createdAt":"2021-05-01T12:33:44.000Z","archived":true}
                """#
            ),
            // Shlink
            (
                "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n"
                    + "2024-02-03T10:00:00+01:00,s.test,abc,https://s.test/abc,https://acme.com/1,,a|b,7",
                #"{"code":"abc","target":"https://acme.com/1","tags":["a","b"],"createdAt":"2024-02-03T09:00:00.000Z"}"#
            ),
            // Dub
            (
                "Short link,Destination URL,Clicks,Created at,Tags\n"
                    + "https://dub.sh/abc,https://acme.com/1,3,2024-02-03T10:00:00.000Z,mail",
                #"{"code":"abc","target":"https://acme.com/1","tags":["mail"],"createdAt":"2024-02-03T10:00:00.000Z"}"#
            ),
            // Kutt
            (
                "address,link,target,description,created_at,visit_count\nabc,https://kutt.it/abc,https://acme.com/1,n,,4",
                #"{"code":"abc","target":"https://acme.com/1","note":"n"}"#
            ),
            // Bitly
            (
                "title,link,long_url,created_at,tags\nT,bit.ly/3xYz,https://acme.com/1,1614729600,",
                #"{"code":"3xYz","target":"https://acme.com/1","title":"T","createdAt":"2021-03-03T00:00:00.000Z"}"#
            ),
            // Branch
            (
                "url,alias,$desktop_url,~channel,~feature,~campaign,$og_title,$og_image_url\n"
                    + "https://acme.app.link/xYz,,https://acme.com/1,mail,news,spring,P,http://acme.com/p.png",
                #"""
                {"code":"xYz","target":"https://acme.com/1","utm":{"source":"mail","medium":"news","campaign":"spring"},
                 "preview":{"title":"P"}}
                """#
            ),
            // A spreadsheet
            (
                "code;target;tags\na;https://acme.com/1;x,y",
                #"{"code":"a","target":"https://acme.com/1","tags":["x","y"]}"#
            ),
            // A list of targets
            ("url\nhttps://acme.com/1", #"{"target":"https://acme.com/1","reuse":true}"#),
        ]
    )
    func headersOfExportsAreKnown(_ file: String, _ expected: String) async throws {
        let (links, sent) = try await imported(file)
        #expect(links.failed == 0, "\(links.failureLines)")
        #expect(sent == [try node(expected)])
    }

    @Test func columnsAreNamed() async throws {
        let (_, sent) = try await imported("slug,goes to\nx,https://acme.com/1", [.target: "Goes To"])
        #expect(sent == [try node(#"{"code":"x","target":"https://acme.com/1"}"#)])
    }

    @Test(
        arguments: [
            ("code,place\na,b", [:], "no known column for the target; name it with --columns target=COLUMN."),
            ("url\nhttps://a.com", [.code: "slug"], "no column 'slug'; it has 'url'."),
            ("", [:], "the file is empty."), ("\n", [:], "the file has no header"),
            ("[{}]", [:], "write one link per line"),
            ("co\"de\n", [:], "the header in line 1 cannot be read"),
        ] as [(String, [LinkField: String], String)]
    )
    func fileThatCannotBeReadIsRefused(_ file: String, _ named: [LinkField: String], _ reason: String) async {
        let failure = await #expect(throws: CommandFailure.self) { _ = try await imported(file, named) }
        #expect(failure?.status == .unreadableInput)
        #expect(failure?.lines.first?.contains(reason) == true, "\(failure?.lines ?? [])")
    }

    @Test(
        arguments: [
            "2024-05-01T10:00:00Z", "2024-05-01 10:00:00", "2024-05-01 10:00:00 UTC", "2024-05-01 10:00:00 +0000",
            "2024-05-01T12:00:00+0200", "2024-05-01 12:00:00 +02:00", "2024-05-01 07:30:00.000-0230", "1714557600",
            "1714557600000",
        ]
    )
    func timesOfExportsAreRead(_ time: String) async throws {
        let (links, sent) = try await imported("url,expires\nhttps://acme.com/1,\(time)\n")
        #expect(sent.map { $0["expires"]?.text } == ["2024-05-01T10:00:00.000Z"], "\(links.failureLines)")
    }

    @Test(arguments: ["2024-05-01 10:00:00 CEST", "2024-05-01 10:00:00 +0000 x", "2024-05-01 10:00:00 +9900"])
    func otherTimesAreRefused(_ time: String) async throws {
        let (links, _) = try await imported("url,expires\nhttps://acme.com/1,\(time)\n")
        #expect(links.failures.first?.text.hasPrefix("line 2, column 'expires': '\(time)' is not a time") == true)
    }

    // MARK: Rows

    @Test(arguments: [
        ("a b,https://acme.com/1,", "line 2, column 'code': 'a b' is not a code"),
        ("https://go.acme.com/,https://acme.com/1,", "line 2, column 'code': 'https://go.acme.com/' is not a code"),
        ("a,acme://1,", "line 2, column 'target': 'acme://1' is not a link with http:// or https://."),
        ("a,,", "line 2, column 'target': the cell is empty"),
        ("a,https://acme.com/1,soon", "line 2, column 'expires': 'soon' is not a time"),
        ("a,https://acme.com/1", "line 2: the row has 2 cells, and the header 3."),
        ("a,https://ac\"me.com,", "line 2, column 'target': a quotation mark is inside a cell"),
    ])
    func brokenRowIsNamedAndTheRestGoesOn(_ row: String, _ text: String) async throws {
        let (links, sent) = try await imported("code,target,expires\n\(row)\nb,https://acme.com/2,\n")
        #expect(links.failed == 1 && links.created == 1)
        #expect(links.failures.first?.text.hasPrefix(text) == true, "\(links.failures)")
        #expect(sent.map { $0["code"]?.text } == ["b"])
    }

    @Test func exportIsSentAsItIs() async throws {
        let line = #"{"code":"a","target":"https://acme.com/1","status":"blocked","blockReason":"Copied.","version":3}"#
        let (links, sent) = try await imported("\(line)\n\n{\"code\":\n7\n\(line)")
        #expect(sent == [try node(line), try node(line)])
        #expect(links.failures.map(\.line) == [3, 4])
        #expect(links.failures.last?.text == "line 4: a number is no link; write an object.")
    }

    @Test func refusedLinksAreNamedByTheirLines() async throws {
        let (links, _) = try await imported(
            "code,target\nold,https://acme.com/1\n\"taken\",\"https://acme.com/1\"\n,https://acme.com/2\nnew,https://acme.com/3\n"
        )
        #expect(links.created == 1 && links.existing == 2 && links.failed == 1)
        #expect(links.lines == ["1 created, 2 existed already, 1 failed"])
        #expect(links.failureLines == ["  line 3: It is taken."])
    }

    // MARK: Printed links

    private static let urls = [
        "https://x.acme.com/{code...}", "https://x.acme.com/s/{code}", "https://go.acme.com/p/{code}/more",
        "https://go.acme.com/s/{code}",
    ]

    @Test(
        arguments: [
            ("https://go.acme.com/s/deep", "deep", true), ("http://GO.acme.com/s/deep/?a=b#c", "deep", true),
            ("go.acme.com/p/deep/more/", "deep", true), ("https://x.acme.com/s/deep", "deep", true),
            ("https://x.acme.com/a/b", "a/b", true), ("deep", "deep", true), ("s/deep", "s/deep", true),
            ("https://go.acme.com/deep", "deep", false), ("https://go.acme.com/s/a/b", "s/a/b", false),
            ("https://go.acme.com/p/deep", "p/deep", false), ("https://bit.ly/s/deep", "s/deep", false),
        ]
    )
    func printedLinkBecomesTheCodeThatTheTableReads(_ text: String, _ code: String, _ isReached: Bool) async throws {
        let (links, sent) = try await imported("code,target\n\(text),https://acme.com/1\n", urls: Self.urls)
        #expect(sent.map { $0["code"]?.text } == [code])
        let missing = "No live route leads to 1 link, such as '\(text)'. This is missing in the tenant's file:"
        #expect(links.lines.contains(missing) != isReached, "\(links.lines)")
    }

    /// A URL that the server prints for a code is imported with that code.
    @Test func urlOfACodeIsThatCode() async throws {
        var random = SeededGenerator(seed: 36)
        let parts = ["a", "s", "Sale-26", "_x", "p", "more"]
        for _ in 0..<200 {
            let pattern = Self.urls[Int.random(in: Self.urls.indices, using: &random)]
            let code = parts[Int.random(in: parts.indices, using: &random)]
            let url = pattern.replacing("{code...}", with: code).replacing("{code}", with: code)
            let (links, sent) = try await imported("code,target\n\(url),https://acme.com/1\n", urls: Self.urls)
            #expect(sent.map { $0["code"]?.text } == [code], "\(url)")
            #expect(links.lines.count == 1, "\(links.lines)")
        }
    }

    @Test func unreachedLinksAreCountedWithTheMissingRoute() async throws {
        let rows = (0..<7).map { "https://old.acme.com/a/\($0),https://acme.com/1\n" }.joined()
        let (links, _) = try await imported(
            "code,target\nx,https://acme.com/1\n\(rows)",
            urls: ["https://go.acme.com/s/{code}"]
        )
        #expect(
            Array(links.lines.dropFirst()) == [
                "No live route leads to 7 links, such as 'https://old.acme.com/a/0', 'https://old.acme.com/a/1', "
                    + "'https://old.acme.com/a/2', 'https://old.acme.com/a/3', 'https://old.acme.com/a/4'. This is missing in "
                    + "the tenant's file:",
                "  settings.domains: - {host: old.acme.com}",
                #"  table.routes: - {id: links, path: "/{code...}", follow: shortLinks}"#,
            ]
        )
        let (codes, _) = try await imported(
            "code,target\na/b,https://acme.com/1\n",
            urls: ["https://go.acme.com/{code}"]
        )
        #expect(codes.lines.count == 3, "\(codes.lines)")
    }

    // MARK: Requests

    @Test func requestHasAtMostTwoThousandLinks() async throws {
        let server = Server()
        var links = LinkImport(of: "shop", client: server.client)
        let rows = (0..<4_500).map { "c\($0),https://acme.com/\($0)\n" }.joined()
        try await links.read(Array("code,target\n\(rows)".utf8))
        try await links.end()
        #expect(server.bodies.withLock { $0.map(\.count) } == [2_000, 2_000, 500])
        #expect(links.created == 4_500)
    }

    @Test func checkSendsNothing() async throws {
        var links = LinkImport(of: "shop", client: nil)
        try await links.read(Array("code,target\na,https://acme.com/1\nb,x\n".utf8))
        try await links.end()
        #expect(links.lines == ["1 link can be imported, 1 cannot; nothing was stored"])
    }

    @Test func checkCountsWhatExistsAndWhatIsRepeated() async throws {
        var known = KnownLinks()
        known.insert(try node(#"{"code":"a","target":"https://acme.com/1","status":"active"}"#))
        known.insert(
            try node(#"{"code":"r","target":"https://acme.com/2","utm":{"source":"mail"},"status":"active"}"#)
        )
        known.insert(try node(#"{"code":"s","target":"https://acme.com/4","status":"archived"}"#))
        var links = LinkImport(of: "shop", client: nil, known: known)
        let file = """
            code,target,utm_source
            a,https://acme.com/1,
            b,https://acme.com/1,
            b,https://acme.com/1,
            b,https://acme.com/3,
            a,https://acme.com/9,
            ,https://acme.com/2,mail
            ,https://acme.com/2,
            ,https://acme.com/2,
            ,https://acme.com/4,
            """
        try await links.read(Array("\(file)\n".utf8))
        try await links.end()
        #expect(
            links.lines == ["3 links can be imported, 2 exist already, 2 rows repeated, 2 cannot; nothing was stored"]
        )
        #expect(links.failures.map(\.line) == [5, 6])
        #expect(links.failures.first?.reason.hasPrefix("the code 'b' belongs to a link with another target") == true)
    }

    @Test func firstTwentyFailuresAreShownAndAllReported() async throws {
        let reported = Mutex<[Int]>([])
        var links = LinkImport(of: "shop", client: nil) { failure in reported.withLock { $0.append(failure.line) } }
        try await links.read(Array("target\n\(String(repeating: "x\n", count: 30))".utf8))
        try await links.end()
        #expect(links.failureLines.count == 21)
        #expect(links.failureLines.last == "  … and 10 more; --errors FILE writes all")
        #expect(reported.withLock { $0 } == Array(2...31))
    }

    // MARK: Firebase

    /// The columns as the vendor's page names them, and as the parameters of a long link.
    static let firebaseHeaders = [
        """
        Short Link,Deep Link,Android Package Name,Android Fallback Link,Android Minimum Version Code,iOS Bundle ID,iOS Fallback \
        Link,iOS Custom Scheme,iPad Fallback Link,iPad Bundle ID,App Store ID,iOS Minimum Version,Forced Redirect,Desktop \
        Fallback Link,Social Title,Social Description,Social Image Link,utm_source,utm_medium,utm_campaign,utm_term,\
        utm_content,iTunes Connect at,iTunes Connect ct,iTunes Connect mt,iTunes Connect pt,Archived,Link Name,Creation Time
        """,
        """
        short_link,link,apn,afl,amv,ibi,ifl,ius,ipfl,ipbi,isi,imv,efr,ofl,st,sd,si,utm_source,utm_medium,utm_campaign,utm_term,\
        utm_content,at,ct,mt,pt,archived,name,creation_time
        """,
    ]

    @Test(arguments: LinkImportTests.firebaseHeaders)
    func takeoutOfFirebaseIsRead(_ header: String) async throws {
        let row = """
            https://go.acme.com/AbC1,https://www.acme.com/item/7?a=1,com.acme,https://acme.com/android,12,com.acme,\
            https://acme.com/ios,acme,https://acme.com/ipad,com.acme.pad,123456789,2.0,true,https://acme.com/desktop,\
            "A ""new""
            title",A description,https://acme.com/p.png,mail,news,spring,shoes,top,10l,ct,8,99,false,Spring,\
            2021-05-01T12:33:44Z
            """
        let (links, sent) = try await imported("\(header)\n\(row)\n", from: .firebase)
        #expect(links.failed == 0, "\(links.failureLines)")
        let expected = #"""
            {"code":"AbC1","target":"https://www.acme.com/item/7?a=1","title":"Spring",
             "utm":{"source":"mail","medium":"news","campaign":"spring","term":"shoes","content":"top"},
             "preview":{"title":"A \"new\" title","description":"A description","image":"https://acme.com/p.png"},
             "createdAt":"2021-05-01T12:33:44.000Z"}
            """#
        #expect(sent == [try node(expected)])
        // All other columns are reported.
        #expect(links.lines.count { $0.hasPrefix("  ") && $0.contains(": 1 row, such as '") } == 16, "\(links.lines)")
        #expect(links.lines.contains("  settings.domains: - {host: go.acme.com}"))
        #expect(links.lines.contains(#"  table.routes: - {id: links, path: "/{code}", follow: shortLinks}"#))
        #expect(links.lines.contains { $0.contains(#"query: {link: string}, follow: "{link}""#) })
        #expect(links.lines.last?.hasPrefix("Fallback links are lost") == true)
    }

    @Test func hostOfGoogleIsGone() async throws {
        let (links, sent) = try await imported(
            "short_link,link\nhttps://acme.page.link/a/b,https://acme.com/1\nhttps://acme.page.link,https://acme.com/2\n",
            from: .firebase
        )
        #expect(sent.map { $0["code"]?.text } == ["a/b"])
        #expect(links.failures.first?.text.hasPrefix("line 3, column 'short_link': ") == true)
        #expect(links.lines.contains("  settings.domains: - {host: YOUR-HOST}"))
        #expect(links.lines.contains { $0.contains(#"path: "/{code...}""#) })
        #expect(links.lines.last?.hasPrefix("Nobody can serve acme.page.link any more") == true)
    }

    @Test func lostColumnHasFiveDifferentSamples() async throws {
        let rows = (0..<9).map { "https://acme.com/\($0),v\($0 / 2 * 2)\n" }.joined() + "https://acme.com/9,v\n,v\n"
        let (links, _) = try await imported("target,visits\n\(rows)")
        #expect(links.lines.contains("  visits: 10 rows, such as 'v0', 'v2', 'v4', 'v6', 'v8'"))
    }

    // MARK: Text

    @Test func linkIsShownWithItsClicks() throws {
        let link = try node(
            #"""
            {"code":"spring","url":"https://go.acme.com/s/spring","target":"https://www.acme.com/item/7","tags":["a","b"],
             "utm":{"source":"mail"},"status":"blocked","blockReason":"Copied.","createdAt":"2026-11-21T10:00:00.000Z",
             "createdBy":{"kind":"key","id":"1","name":"ops"},
             "clicks":{"total":12,"last":"2026-11-22T10:00:00.000Z","days":[{"count":0},{"count":1},{"count":4},{"count":8}]}}
            """#
        )
        #expect(
            link.shortLinkLines == [
                "link        https://go.acme.com/s/spring", "target      https://www.acme.com/item/7",
                "tags        a, b",
                "utm_source  mail", "status      blocked: Copied.", "created     2026-11-21T10:00:00.000Z by ops",
                "clicks      12, the last at 2026-11-22T10:00:00.000Z", "30 days     ·▁▄█",
            ]
        )
        #expect(try node(#"{"code":"a"}"#).shortLinkAddress.hasPrefix("a (no route"))
        let slash = try node(#"{"code":"zz/top"}"#).shortLinkAddress
        #expect(slash.hasPrefix("zz/top (no route of the live table follows codes with '/'; add one"), "\(slash)")
    }
}

private func node(_ json: some Collection<UInt8>) throws -> JSONNode {
    try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 16))
}

private func node(_ json: String) throws -> JSONNode { try node(json.utf8) }
