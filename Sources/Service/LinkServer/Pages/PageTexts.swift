import LinkCatalog
import LinkRouting

/// The texts of pages in one language.
struct PageTexts {
    /// The standard texts of `texts.yaml`.
    static let standard: [LanguageTag: [PageText: String]] = {
        do {
            let root = try Document.readYAML(String(decoding: PackageResources.texts_yaml, as: UTF8.self))
            return try Settings.Brand.texts(DocumentField(root, path: "texts"))
        } catch {
            preconditionFailure("the texts are part of this program, and a test reads them: \(error)")
        }
    }()

    private static let languages = Array(standard.keys)
    /// The standard texts as HTML.
    private static let html = standard.mapValues { $0.mapValues(\.escapedForHTML) }
    private static let english = html.first { $0.key.description == "en" }?.value ?? [:]
    private static let writtenFromTheRight: Set = ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]

    /// The language as an attribute of HTML.
    let language: String
    /// The tenant's texts, which are not escaped.
    private let own: [PageText: String]?
    /// The texts that the tenant does not replace, as HTML.
    private let standard: [PageText: String]

    var isWrittenFromTheRight: Bool {
        Self.writtenFromTheRight.contains(language.lowercased().prefix { $0 != "-" }.description)
    }

    /// - Parameter languages: Those of the visitor, best first. English if there are no texts in any of them.
    init(_ languages: [LanguageTag], of brand: Settings.Brand) {
        let chosen = LanguageTag.lookup(languages, in: Self.languages + brand.texts.keys)
        let standard = LanguageTag.lookup(chosen.map { [$0] } ?? [], in: Self.languages)
        language = chosen?.description ?? "en"
        own = (chosen ?? LanguageTag("en")).flatMap { brand.texts[$0] }
        self.standard = standard.flatMap { Self.html[$0] } ?? Self.english
    }

    /// Returns a text as HTML.
    ///
    /// - Parameter values: Those of the slots, such as `{name}`, not escaped.
    func html(_ text: PageText, _ values: KeyValuePairs<String, String> = [:]) -> String {
        var rest = (own?[text]?.escapedForHTML ?? standard[text] ?? "")[...]
        var filled = ""
        while let start = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
            let end = rest.utf8[start...].firstIndex(of: UInt8(ascii: "}"))
        {
            let slot = rest[rest.utf8.index(after: start)..<end]
            filled += rest[..<start]
            let value = values.first { $0.key == slot }?.value.escapedForHTML ?? String(rest[start...end])
            // Isolated, so that a name from the left keeps its own order.
            filled += isWrittenFromTheRight ? "\u{2068}\(value)\u{2069}" : value
            rest = rest[rest.utf8.index(after: end)...]
        }
        return filled + String(rest)
    }
}
