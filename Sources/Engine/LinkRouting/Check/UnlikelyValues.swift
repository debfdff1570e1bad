extension Condition {
    /// What is valid here, but probably not meant, and what to write instead.
    var unlikelyValues: [(message: String, fix: String)] {
        switch self {
        case .country(let countries): countries.compactMap(Country.unlikely)
        case .locale(let tags): tags.compactMap(LanguageCode.unlikely)
        case .rollout(let rollout) where (1..<100).contains(rollout.basisPoints):
            [Self.unlikely(basisPoints: rollout.basisPoints)]
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.unlikelyValues)
        case .not(let condition): condition.unlikelyValues
        default: []
        }
    }

    private static func unlikely(basisPoints: Int) -> (message: String, fix: String) {
        let hundredths = basisPoints < 10 ? "0\(basisPoints)" : "\(basisPoints)"
        return (
            "The rollout of 0.\(hundredths) is a percentage: it reaches \(basisPoints) of 10,000 callers.",
            "Write \(basisPoints) for \(basisPoints) %; leave it if a share below one percent is meant."
        )
    }
}

extension LinkContext {
    /// The first fact that is no code of a country or a language, and what to write instead; nil without one.
    package var unlikelyFact: (key: Key, message: String, fix: String)? {
        if let (message, fix) = country.flatMap(Country.unlikely) { return (.country, message, fix) }
        guard let (message, fix) = locale.lazy.compactMap(LanguageCode.unlikely).first else { return nil }
        return (.locale, message, fix)
    }
}

/// The two-letter codes of ISO 3166.
enum Country {
    /// Returns why no caller comes from a country, and the code that is meant; nil for the code of a country.
    static func unlikely(_ code: String) -> (message: String, fix: String)? {
        let upper = asciiUppercased(code)
        // Kosovo uses one of the codes that are for everyone's own use.
        guard !assigned.contains(upper), upper != "XK" else { return nil }
        return (
            "'\(code)' is not the code of a country in ISO 3166, so no caller comes from it.",
            meant[upper].map { "Write \($0)." } ?? "Write the two letters of ISO 3166, such as GB or DE."
        )
    }

    /// Codes of other lists and of languages, and the country that is meant.
    static let meant = [
        "UK": "GB, for the United Kingdom; Ukraine is UA", "EN": "GB or US", "EL": "GR", "JA": "JP", "KO": "KR",
        "ZH": "CN",
        "DA": "DK", "CS": "CZ", "HI": "IN", "UR": "PK", "FA": "IR", "EU": "the countries one by one",
    ]

    private static let assigned = Set(
        """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
        BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
        ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
        HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
        LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
        NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
        SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
        UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
        """
        .split { $0 == " " || $0 == "\n" }.map(String.init)
    )
}

extension Identity {
    /// What is valid in the settings, but cannot be meant. The paths begin with `settings`.
    package var unlikelyValues: [Finding] {
        apps.enumerated().compactMap { index, app in
            guard case .ios(let teamID, let bundleID) = app.product,
                bundleID.hasPrefix("\(teamID).") || bundleID.beginsWithTeamID
            else { return nil }
            return Finding(
                .unlikelyValue,
                .error,
                path: "settings.apps[\(index)].bundleID",
                message: "The bundle ID '\(bundleID)' of the app '\(app.id)' begins with a team ID, so the association "
                    + "files name an app that does not exist, and iOS opens no link in the app.",
                fix: "Write \(bundleID.dropFirst(teamID.utf8.count + 1)); the team belongs under 'teamID' only."
            )
        }
    }
}

extension String {
    /// Whether ten capital letters and digits, at least one of each, and a dot come first.
    package var beginsWithTeamID: Bool {
        let prefix = utf8.prefix(10)
        return utf8.count > 11 && utf8.dropFirst(10).first == UInt8(ascii: ".") && prefix.contains(where: isDigit)
            && prefix.contains(where: isLetter)
            && prefix.allSatisfy { isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
