/// The codes of languages at the beginning of language tags: two letters of ISO 639-1, or three where it has none.
enum LanguageCode {
    /// Returns why no caller asks for a language, and the tag that is meant; nil for a tag that may be right.
    static func unlikely(_ tag: LanguageTag) -> (message: String, fix: String)? {
        let subtags = tag.description.split(separator: "-")
        guard let first = subtags.first?.lowercased(), first != "*" else { return nil }
        guard exists(first) else {
            return (
                "'\(first)' is not the code of a language in ISO 639, so no caller asks for it.",
                meant[first].map { "Write \(Self.tag($0, subtags.dropFirst()))." }
                    ?? "Write the two letters of ISO 639-1, such as en or de."
            )
        }
        // The subtags behind a single letter are private, or belong to an extension.
        let region = subtags.dropFirst().prefix { $0.utf8.count > 1 }.first { $0.utf8.count == 2 }
        guard let region, !hasCode(region), let country = Country.meant[asciiUppercased(String(region))] else {
            return nil
        }
        return (
            "'\(region)' in '\(tag)' is not the code of a country in ISO 3166, so no caller asks for it.",
            "Write \(country)."
        )
    }

    /// Whether language tags have a region of these letters that ISO 3166 does not list: the European Union, and Serbia
    /// and Montenegro.
    private static func hasCode(_ region: Substring) -> Bool { ["EU", "CS"].contains(asciiUppercased(String(region))) }

    private static func tag(_ meant: String, _ others: ArraySlice<Substring>) -> String {
        // The region of `en-US` is meant as well.
        let subtags = meant.contains("-") ? [] : others
        return subtags.reduce(meant) { "\($0)-\($1)" }
    }

    private static func exists(_ code: String) -> Bool {
        switch code.utf8.count {
        // `x` and `i` are for private and for grandfathered tags.
        case 1: true
        case 2: assigned.contains(code)
        // There are some 8,000 codes of three letters.
        case 3: meant[code] == nil
        default: false
        }
    }

    /// Codes of countries, names, and codes of three letters, with the code of the language that is meant.
    private static let meant = [
        "jp": "ja", "cn": "zh", "cz": "cs", "gr": "el", "dk": "da", "us": "en-US", "gb": "en-GB", "au": "en-AU",
        "nz": "en-NZ", "at": "de-AT", "mx": "es-MX", "eg": "ar-EG", "hk": "zh-HK", "ua": "uk", "vn": "vi", "il": "he",
        "ir": "fa", "al": "sq", "rs": "sr", "by": "be", "kz": "kk", "pk": "ur", "ph": "fil",
        "english": "en", "german": "de", "deutsch": "de", "french": "fr", "francais": "fr", "spanish": "es",
        "espanol": "es", "italian": "it", "italiano": "it", "dutch": "nl", "danish": "da", "swedish": "sv",
        "finnish": "fi", "polish": "pl", "czech": "cs", "greek": "el", "turkish": "tr", "russian": "ru",
        "japanese": "ja", "chinese": "zh", "korean": "ko", "arabic": "ar", "hebrew": "he", "hindi": "hi", "thai": "th",
        "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "nld": "nl",
        "dut": "nl", "dan": "da", "swe": "sv", "fin": "fi", "pol": "pl", "por": "pt", "tur": "tr", "rus": "ru",
        "jpn": "ja", "zho": "zh", "chi": "zh", "kor": "ko", "ara": "ar",
    ]

    /// ISO 639-1, and older codes that some systems still send.
    private static let assigned = Set(
        """
        aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en
        eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja
        jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb
        nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq
        sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
        bh in iw ji jw mo sh
        """
        .split { $0 == " " || $0 == "\n" }.map(String.init)
    )
}
