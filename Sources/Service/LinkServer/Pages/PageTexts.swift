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
    private static let english = standard.first { $0.key.description == "en" }?.value ?? [:]
    private static let writtenFromTheRight: Set = ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]

    /// The language as an attribute of HTML.
    let language: String
    /// The tenant's texts first, then the standard ones.
    private let texts: [[PageText: String]]

    var isWrittenFromTheRight: Bool {
        Self.writtenFromTheRight.contains(language.lowercased().prefix { $0 != "-" }.description)
    }

    /// - Parameter languages: Those of the visitor, best first. English if there are no texts in any of them.
    init(_ languages: [LanguageTag], of brand: Settings.Brand) {
        let chosen = LanguageTag.lookup(languages, in: Self.languages + brand.texts.keys)
        let standard = LanguageTag.lookup(chosen.map { [$0] } ?? [], in: Self.languages)
        language = chosen?.description ?? "en"
        let own = (chosen ?? LanguageTag("en")).flatMap { brand.texts[$0] }
        texts = [own ?? [:], standard.flatMap { Self.standard[$0] } ?? [:], Self.english]
    }

    /// Returns a text with values in its slots, such as `{name}`. It is not escaped.
    func text(_ text: PageText, _ values: [String: String] = [:]) -> String {
        var rest = (texts.lazy.compactMap { $0[text] }.first ?? "")[...]
        var filled = ""
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let slot = rest[rest.index(after: start)..<end]
            filled += rest[..<start]
            let value = values[String(slot)] ?? String(rest[start...end])
            // Isolated, so that a name from the left keeps its own order.
            filled += isWrittenFromTheRight ? "\u{2068}\(value)\u{2069}" : value
            rest = rest[rest.index(after: end)...]
        }
        return filled + String(rest)
    }

    /// Returns the text as HTML.
    func html(_ text: PageText, _ values: [String: String] = [:]) -> String { self.text(text, values).escapedForHTML }
}
