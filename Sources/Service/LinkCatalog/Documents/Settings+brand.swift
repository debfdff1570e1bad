package import LinkRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Settings {
    /// How the tenant's pages look.
    package struct Brand: Sendable, Hashable {
        /// Without a name, pages have the host of the link.
        package var name: String?
        package var logo: Logo?
        package var accent = RGBColor.black
        /// The accent where people prefer a dark page.
        package var dark = RGBColor.white
        /// Texts in place of the standard ones, by language.
        package var texts: [LanguageTag: [PageText: String]] = [:]

        package static let keys = ["name", "logo", "accent", "dark", "texts"]
        static let mostNameBytes = 64
        static let mostLanguages = 32
        static let mostTextCharacters = 300

        package init() {}
    }

    /// An image of a page.
    package struct Logo: Sendable, Hashable {
        /// The whole image, with only letters, digits and `:;,/+=`.
        package let dataURI: String

        static let mostBytes = 16 << 10
    }

    /// An e-mail address or an https URL.
    package struct Contact: Sendable, Hashable {
        package let url: String

        package static let keys = ["contact"]
        static let mostBytes = 2_048
    }
}

extension Settings.Brand {
    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object(Self.keys)
        if let field = object["name"] {
            let name = try field.text()
            guard !name.isEmpty, name.utf8.count <= Self.mostNameBytes else {
                throw field.error("the name has \(name.utf8.count) bytes; write one of 1 to \(Self.mostNameBytes).")
            }
            guard
                !name.unicodeScalars.contains(where: {
                    $0.properties.isBidiControl || $0.properties.generalCategory == .control
                })
            else { throw field.error("the name has control characters, which no page shows; remove them.") }
            self.name = name
        }
        if let field = object["logo"] { logo = try Settings.Logo(field) }
        func color(_ key: String) throws(DocumentError) -> RGBColor? {
            try object.refuseNull(key, "write a color in quotes, because YAML reads '#' as the start of a comment.")
            guard let field = object[key] else { return nil }
            let text = try field.text()
            guard text.hasPrefix("#"), let color = RGBColor(text) else {
                throw field.error("\(field.shown) is not a color; write one such as \"#0a66c2\".")
            }
            return color
        }
        let accent = try color("accent")
        self.accent = accent ?? .black
        dark = try color("dark") ?? accent ?? .white
        if let field = object["texts"] { texts = try Self.texts(field) }
    }

    /// Reads `{LANGUAGE: {TEXT: "…"}}`.
    package static func texts(_ field: DocumentField) throws(DocumentError) -> [LanguageTag: [PageText: String]] {
        let object = try field.anyObject()
        guard object.all.count <= mostLanguages else {
            throw field.error("texts may have \(mostLanguages) languages at most; remove some.")
        }
        var texts: [LanguageTag: [PageText: String]] = [:]
        for (key, field) in object.all {
            guard let language = LanguageTag(key), !language.isRange else {
                throw object.error(at: key, "'\(key)' is not a language; write one such as de or pt-BR.")
            }
            let own = try field.object(PageText.allCases.map(\.rawValue))
            for text in PageText.allCases {
                guard let field = own[text.rawValue] else { continue }
                let written = try field.text()
                guard (1...mostTextCharacters).contains(written.unicodeScalars.count) else {
                    throw field.error("write a text of 1 to \(mostTextCharacters) characters.")
                }
                texts[language, default: [:]][text] = written
            }
        }
        return texts
    }
}

extension Settings.Logo {
    init(_ field: DocumentField) throws(DocumentError) {
        let base64 = try field.text()
        // Four characters for three bytes.
        guard base64.utf8.count <= (Self.mostBytes + 2) / 3 * 4 else {
            throw field.error("the logo has more than \(Self.mostBytes) bytes; make it smaller.")
        }
        guard base64.utf8.allSatisfy(Self.isBase64), let bytes = Data(base64Encoded: base64) else {
            throw field.error("the logo is not base64; write the output of 'base64 -w0 logo.png'.")
        }
        guard bytes.count <= Self.mostBytes else {
            throw field.error(
                "the logo has \(bytes.count) bytes, and at most \(Self.mostBytes) are allowed; make it smaller."
            )
        }
        guard let type = Self.type(of: Array(bytes)) else {
            throw field.error("the logo is neither a PNG nor a WebP file; convert it.")
        }
        dataURI = "data:\(type);base64,\(base64)"
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        // RIFF, the size, WEBP.
        guard bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) else { return nil }
        return "image/webp"
    }
}

extension Settings.Contact {
    init(_ field: DocumentField) throws(DocumentError) {
        let field = try field.object(Self.keys).required("contact")
        let text = try field.text()
        guard text.utf8.count <= Self.mostBytes, let url = Self.url(text) else {
            throw field.error(
                "\(field.shown) is neither an e-mail address nor an https URL; write one such as abuse@example.com."
            )
        }
        self.url = url
    }

    private static func url(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        if parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isInAddress) }) { return "mailto:\(text)" }
        guard let link = try? DeepLink.parse(text), link.isWeb, link.scheme == "https" else { return nil }
        return link.text
    }

    /// Whether the byte needs no escape in a URL.
    private static func isInAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: ".-_+".utf8.contains(byte)
        }
    }
}
