import LinkCatalog
import LinkServer
import Testing

/// The QR codes of short links on the admin port.
@Suite(.timeLimit(.minutes(15)))
struct ShortLinkQRTests {
    private static let table = """
        defaults: {fallback: {web: "https://www.acme.test/"}}
        routes:
          - {id: go, path: "/s/{code...}", follow: shortLinks}
          - {id: item, path: "/item/{id:int}", open: {screen: Item}}
        """

    private func acme(_ service: TestService) async throws -> AdminSession {
        let session = try await AdminSession.acme(service)
        #expect(try await session.put("draft", yaml: Self.table).status == 200)
        #expect(try await session.post("draft/publish").status == 201)
        for code in ["spring", "a/b"] {
            let link = #"{"code":"\#(code)","target":"https://go.acme.test/item/7"}"#
            #expect(try await session.post("short-links", link).status == 201)
        }
        return session
    }

    @Test func codeHoldsTheMarkedLink() async throws {
        try await withService { service in
            let session = try await acme(service)
            for (path, link) in [
                ("spring", "https://go.acme.test/s/spring?_fp=qr"), ("a%2Fb", "https://go.acme.test/s/a/b?_fp=qr"),
            ] {
                let code = try QRCode(link, level: .medium)
                let svg = try await session.get("short-links/\(path)/qr.svg")
                #expect(svg.status == 200 && svg["Content-Type"] == "image/svg+xml", "\(svg.text)")
                let drawn = try code.svg(try QRCodeStyle())
                #expect(svg.text == drawn)
                let png = try await session.get("short-links/\(path)/qr.png?host=go.acme.test")
                #expect(png.status == 200 && png["Content-Type"] == "image/png", "\(png.text)")
                let painted = try code.png(try QRCodeStyle())
                #expect(png.body == painted)
            }
            let styled = try await session.get(
                "short-links/spring/qr.png?size=1000&level=H&quietZone=2&color=%23003366&background=ffeedd"
            )
            let style = try QRCodeStyle(
                size: 1_000,
                quietZone: 2,
                color: RGBColor("#003366"),
                background: RGBColor("#ffeedd")
            )
            let expected = try QRCode("https://go.acme.test/s/spring?_fp=qr", level: .high).png(style)
            #expect(styled.body == expected)
        }
    }

    @Test func otherRequestsAreRefused() async throws {
        try await withService { service in
            let session = try await acme(service)
            for (query, text) in [
                ("size=x", "'size' must be a number"), ("size=4097", "1 to 4096 pixels"),
                ("size=30", "at least 37 pixels"),
                ("level=h", "L, M, Q or H"), ("quietZone=17", "0 to 16 modules"), ("color=red", "hexadecimal"),
                ("color=ff0000", "3.9:1"), ("color=ffffff&background=000000", "must be darker"),
                ("logo=x", "not a query parameter"), ("environment=staging", "Remove 'environment'"),
            ] {
                let answer = try await session.get("short-links/spring/qr.png?\(query)")
                #expect(answer.status == 400 && answer.code == "invalid_request", "\(query): \(answer.text)")
                #expect(answer.text.contains(text), "\(query): \(answer.text)")
            }
            for path in ["winter/qr.svg", "winter/qr.png", "!/qr.svg", "spring/qr.svg?host=www.acme.test"] {
                let answer = try await session.get("short-links/\(path)")
                #expect(answer.status == 404 && answer.code == "unknown_short_link", "\(path): \(answer.text)")
            }
            #expect(try await session.put("draft", yaml: AdminSession.table).status == 200)
            #expect(try await session.post("draft/publish").status == 201)
            let lost = try await session.get("short-links/spring/qr.svg")
            #expect(lost.status == 404 && lost.text.contains("No route of the live table leads"), "\(lost.text)")
        }
    }
}
