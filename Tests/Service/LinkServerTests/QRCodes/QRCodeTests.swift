import LinkCatalog
import LinkServer
import Testing

struct QRCodeTests {
    private static let link = "https://go.acme.com/s/spring?_fp=qr"

    // MARK: Modules

    @Test func codeHasItsThreeSquares() throws {
        let code = try QRCode(Self.link, level: .medium)
        #expect(code.width == 29 && code.modules.count == 29 * 29)
        // Seven modules: dark, light, three dark, light, dark.
        let square = [true, false, true, true, true, false, true, false]
        for row in [3, 25] { #expect((0..<8).map { code[row, $0] } == square) }
        #expect((0..<8).map { code[3, 28 - $0] } == square)
        #expect(!code[-1, 0] && !code[0, 29])
    }

    @Test(arguments: [(.low, 2_953), (.medium, 2_331), (.quartile, 1_663), (.high, 1_273)] as [(QRCode.Level, Int)])
    func levelHoldsItsCapacityAndNoMore(level: QRCode.Level, bytes: Int) throws {
        #expect(try QRCode(String(repeating: "a", count: bytes), level: level).width == 177)
        for count in [bytes + 1, 8_192, 1 << 20] {
            let error = #expect(throws: QRCodeError.self) {
                try QRCode(String(repeating: "a", count: count), level: level)
            }
            #expect(error?.description.contains("\(count) bytes") == true)
        }
    }

    @Test(arguments: ["", "https://a.test/a b", "https://a.test/ü", "https://a.test/\u{0}", "https://a.test/\n"])
    func otherTextIsRefused(link: String) {
        #expect(throws: QRCodeError.self) { try QRCode(link, level: .low) }
    }

    @Test(
        arguments: [
            ("https://a.test/s/x", "https://a.test/s/x?_fp=qr"), ("https://a.test/s/x?", "https://a.test/s/x?_fp=qr"),
            ("https://a.test/s/x?a=1", "https://a.test/s/x?a=1&_fp=qr"),
            ("https://a.test/s/x?a=1&", "https://a.test/s/x?a=1&_fp=qr"),
            ("https://a.test/s/x#top?", "https://a.test/s/x?_fp=qr#top?"),
            ("https://a.test/s/x?a=1#top", "https://a.test/s/x?a=1&_fp=qr#top"),
        ]
    )
    func markComesBeforeTheFragment(link: String, marked: String) {
        #expect(QRCode.marked(link) == marked)
    }

    // MARK: Style

    @Test(
        arguments: [
            ("#000000", "#ffffff", 21.0), ("767676", "#FFFFFF", 4.54), ("#0000ff", "#ffffff", 8.59),
            ("#777777", "#777777", 1.0),
        ]
    )
    func contrastIsThatOfWCAG(one: String, other: String, ratio: Double) throws {
        let (one, other) = (try #require(RGBColor(one)), try #require(RGBColor(other)))
        #expect(abs(one.contrast(to: other) - ratio) < 0.005)
        #expect(one.contrast(to: other) == other.contrast(to: one))
    }

    @Test(arguments: ["", "#", "red", "#fff", "#12345g", "#1234567", "+12345", "##12345", "#１２３４５６"])
    func otherColorIsRefused(text: String) {
        #expect(RGBColor(text) == nil)
    }

    @Test(
        arguments: [
            // Red on white has 3.998:1.
            ("#ff0000", "#ffffff", "3.9:1"), ("#808080", "#ffffff", "3.9:1"), ("#777777", "#777777", "1.0:1"),
            ("#ffffff", "#000000", "must be darker"), ("#ffff00", "#000080", "Swap #ffff00 and #000080"),
        ]
    )
    func faintOrInvertedColorsAreRefused(color: String, background: String, text: String) {
        let error = #expect(throws: QRCodeError.self) {
            try QRCodeStyle(color: RGBColor(color), background: RGBColor(background))
        }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [(0, 4), (-1, 4), (4_097, 4), (Int.max, 4), (512, -1), (512, 17), (512, Int.max)])
    func sizesAreBounded(size: Int, quietZone: Int) {
        #expect(throws: QRCodeError.self) { try QRCodeStyle(size: size, quietZone: quietZone) }
    }

    // MARK: Images

    @Test(arguments: [37, 40, 512, 4_096])
    func pngHasTheSizeAndTwoColors(size: Int) throws {
        let code = try QRCode(Self.link, level: .medium)
        let style = try QRCodeStyle(size: size, color: RGBColor("#102030"), background: RGBColor("#f0e0d0"))
        let png = try code.png(style)
        #expect(png.prefix(8).elementsEqual([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        let chunks = Self.chunks(of: png.dropFirst(8))
        #expect(chunks.map(\.name) == ["IHDR", "PLTE", "IDAT", "IEND"])
        let (high, low) = (UInt8(size >> 8), UInt8(size & 0xFF))
        #expect(chunks[0].data == [0, 0, high, low, 0, 0, high, low, 1, 3, 0, 0, 0])
        #expect(chunks[1].data == [0xF0, 0xE0, 0xD0, 0x10, 0x20, 0x30])
        #expect(!chunks.contains { !$0.isIntact })
        #expect(try png == QRCode(Self.link, level: .medium).png(style))
    }

    @Test func imageThatIsTooSmallIsRefused() throws {
        let code = try QRCode(Self.link, level: .medium)
        let error = #expect(throws: QRCodeError.self) { try code.png(try QRCodeStyle(size: 36)) }
        #expect(error?.description.contains("at least 37 pixels") == true)
    }

    @Test func svgDrawsEachModuleOnce() throws {
        let code = try QRCode(Self.link, level: .medium)
        let style = try QRCodeStyle(size: 300, quietZone: 2, color: RGBColor("#102030"))
        let svg = try code.svg(style)
        #expect(
            svg.hasPrefix(
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="300" height="300" viewBox="0 0 33 33">\
                <rect width="33" height="33" fill="#ffffff"/>\
                <path shape-rendering="crispEdges" fill="#102030" d="M2 2h7v1H2z
                """
            )
        )
        #expect(svg.hasSuffix("\"/></svg>\n"))
        let drawn = svg.matches(of: /h(\d+)v1H/).compactMap { Int($0.output.1) }.reduce(0, +)
        #expect(drawn == code.modules.count(where: \.self))
        #expect(try svg == QRCode(Self.link, level: .medium).svg(style))
    }

    @Test func textHasTwoRowsInALine() throws {
        let code = try QRCode(Self.link, level: .medium)
        let lines = code.text(try QRCodeStyle(quietZone: 1))
        #expect(lines.count == 16 && lines.allSatisfy { $0.count == 31 })
        // The quiet zone, and below it the upper edge of a square.
        #expect(lines[0].hasPrefix("█▀▀▀▀▀▀▀█"))
        // The last line has one row, the quiet zone.
        #expect(lines[15] == String(repeating: "▀", count: 31))
    }

    // MARK: Logos

    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]

    @Test(
        arguments: [
            (png, "data:image/png;base64,iVBORw0KGgoB"), ([0xFF, 0xD8, 0xFF, 0xE0], "data:image/jpeg;base64,/9j/4A=="),
            (Array("<svg/>".utf8), "data:image/svg+xml;base64,PHN2Zy8+"),
        ] as [([UInt8], String)]
    )
    func logoCoversAFifthAtMost(image: [UInt8], text: String) throws {
        for length in [17, 35, 200, 1_273] {
            let code = try QRCode(String(repeating: "a", count: length), level: .high)
            let svg = try code.svg(try QRCodeStyle(), logo: try QRCodeLogo(image))
            #expect(svg.contains("href=\"\(text)\"/></svg>"))
            let rect = try #require(
                svg.firstMatch(of: #/<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/#)?.output
            )
            let (corner, side) = (try #require(Int(rect.1)), try #require(Int(rect.3)))
            #expect(rect.1 == rect.2 && rect.3 == rect.4 && 5 * side <= code.width)
            #expect(2 * corner + side == code.width + 8)
        }
    }

    @Test(
        arguments: [
            [], Array("GIF89a".utf8), Array("<html><svg/></html>".utf8), [0xFF, 0xD8],
            png + Array(repeating: 0, count: 65_536),
        ]
            as [[UInt8]]
    )
    func otherLogoIsRefused(image: [UInt8]) {
        #expect(throws: QRCodeError.self) { try QRCodeLogo(image) }
    }

    @Test func logoNeedsTheHighestLevel() throws {
        let code = try QRCode(Self.link, level: .quartile)
        #expect(throws: QRCodeError.self) { try code.svg(try QRCodeStyle(), logo: try QRCodeLogo(Self.png)) }
    }

    private struct Chunk {
        let name: String
        let data: [UInt8]
        let isIntact: Bool
    }

    private static func chunks(of bytes: ArraySlice<UInt8>) -> [Chunk] {
        func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
        var (rest, chunks) = (bytes, [Chunk]())
        while rest.count >= 12 {
            let length = Int(number(rest.prefix(4)))
            let content = rest.dropFirst(4).prefix(4 + length)
            let checksum = number(rest.dropFirst(8 + length).prefix(4))
            chunks.append(
                Chunk(
                    name: String(decoding: content.prefix(4), as: UTF8.self),
                    data: Array(content.dropFirst(4)),
                    isIntact: checksum == crc(content)
                )
            )
            rest = rest.dropFirst(12 + length)
        }
        return chunks
    }

    private static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
