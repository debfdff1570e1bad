extension AppleDecision.Note {
    /// The subject of a note.
    public enum Code: String, Sendable, CaseIterable {
        // The query
        case orderAcrossApps = "order_across_apps"
        case appListedAgain = "app_listed_again"
        case stepBudget = "step_budget"
        // The URL
        case urlUser = "url_user"
        case urlPort = "url_port"
        case urlTrailingDot = "url_trailing_dot"
        case urlEncoded = "url_encoded"
        case urlDelimiters = "url_delimiters"
        case urlInvalidEscape = "url_invalid_escape"
        case urlDotSegment = "url_dot_segment"
        case urlEmptySegment = "url_empty_segment"
        case urlParameters = "url_parameters"
        case urlNotUTF8 = "url_not_utf8"
        // The file
        case duplicateKey = "duplicate_key"
        case appsBesideDetails = "apps_beside_details"
        case appsWithoutDetails = "apps_without_details"
        case dictionaryOrder = "dictionary_order"
        case noRules = "no_rules"
        case componentsType = "components_type"
        case appIDsBesidePaths = "app_ids_beside_paths"
        // A rule
        case ruleType = "rule_type"
        case patternType = "pattern_type"
        case queryType = "query_type"
        case itemType = "item_type"
        case emptyQuery = "empty_query"
        case flagType = "flag_type"
        case notInLowerCase = "not_in_lower_case"
        case unknownVariable = "unknown_variable"
        case unterminatedVariable = "unterminated_variable"
        case shadowedVariable = "shadowed_variable"
        case variableInValue = "variable_in_value"
        case variableType = "variable_type"
        case localeCodeCase = "locale_code_case"
        case backslash
        case complexity
        case nonASCIIFolding = "non_ascii_folding"
        case slashAdded = "slash_added"
        case oneCharacter = "one_character"
        case encodedName = "encoded_name"

        /// The kind of evidence for the statement.
        var label: AppleDecision.Note.Label {
            switch self {
            case .appListedAgain, .itemType: .recorded
            case .stepBudget: .limit
            default: .notDocumented
            }
        }

        /// The undocumented behaviour, and the assumption that is made here.
        var message: String {
            switch self {
            case .orderAcrossApps:
                "The file names several apps. If several are installed, which one opens a link is not guaranteed; "
                    + "the first in the file's order is assumed. Name an app to test it alone."
            case .appListedAgain:
                "The app has several entries; devices read only the first one."
            case .stepBudget:
                "The file and the URL are too large to compare within the limit; a device may open the app."
            case .urlUser:
                "The URL has a user name or password, which is ignored here; what devices do is not documented."
            case .urlPort: "The URL has a port, which is ignored; entitlements name hosts without ports."
            case .urlTrailingDot: "The URL's host ends with a dot, which is ignored."
            case .urlEncoded:
                "The URL contains characters that must be percent-encoded; they are compared as iOS 17 and later "
                    + "encode them. Older systems reject such a URL."
            case .urlDelimiters: "The URL contains '^', '{', '|' or '}' unencoded; some systems encode them first."
            case .urlInvalidEscape:
                "The URL contains a '%' without two hexadecimal digits, which is compared literally."
            case .urlDotSegment:
                "The URL's path contains '.' or '..'; it is compared as written, but a browser resolves it first."
            case .urlEmptySegment: "The URL's path contains '//'; it is assumed to be compared like '/'."
            case .urlParameters: "The URL's path contains ';', which is compared as part of the path."
            case .urlNotUTF8: "The URL's percent-encoding is not UTF-8; the part is compared as written."
            case .duplicateKey: "An object has a duplicate key; the last value is assumed to apply."
            case .appsBesideDetails:
                "'apps' is not empty although 'details' is present; it is assumed to have no effect."
            case .appsWithoutDetails:
                "'apps' names apps but there is no 'details'. Devices are reported to open every URL in them; here the file "
                    + "is assumed to open none."
            case .dictionaryOrder:
                "'details' is an object, whose entries have no order on a device; the order in the file is assumed."
            case .noRules:
                "The entry has neither 'components' nor 'paths'. Devices are reported to open every URL; here the entry is "
                    + "assumed to open none."
            case .componentsType: "'components' is not a list; 'paths' is assumed to apply."
            case .appIDsBesidePaths:
                "The entry combines 'appIDs' with 'paths'; iOS 12 and older read 'paths' but do not know 'appIDs'."
            case .ruleType: "The rule is not an object; it is assumed to match every URL."
            case .patternType: "The pattern is not a string; it is assumed to constrain nothing."
            case .queryType: "'?' is neither a string nor an object; it is assumed to constrain nothing."
            case .itemType: "A value inside '?' is not a string, so devices drop the whole '?' of this rule."
            case .emptyQuery: "'?' is an empty object; it is assumed to constrain nothing."
            case .flagType:
                "A value that should be true or false is neither. A number other than 0, or a string that starts "
                    + "with Y, T or a digit other than 0, is assumed to be true, anything else false."
            case .notInLowerCase: "'NOT ' is not written in capitals; it is assumed to exclude anyway."
            case .unknownVariable: "The pattern names a variable that does not exist; it is assumed to match nothing."
            case .unterminatedVariable: "The pattern has '$(' without ')'; it is assumed to match nothing."
            case .shadowedVariable:
                "A variable has the name of a built-in one; the file's own values are assumed to apply."
            case .variableInValue:
                "A value of a variable refers to a variable; the value is assumed to have no effect."
            case .variableType:
                "A variable is not a list of strings; values that are not strings are assumed to have no effect."
            case .localeCodeCase:
                "$(lang) and $(region) are compared in the case of the ISO codes; devices are reported to accept "
                    + "either case, which would make this rule's pattern match."
            case .backslash:
                "The pattern contains a backslash, which is compared literally; devices are reported to treat it "
                    + "specially."
            case .complexity:
                "The pattern has more than 64 wildcards and variables; devices are reported to reject it, so it "
                    + "matches nothing."
            case .slashAdded:
                "The pattern matches only because devices are assumed to add a slash at the end of the path; Apple "
                    + "documents '?*' as one or more characters."
            case .oneCharacter:
                "The pattern is one character; devices are assumed not to add a slash to it, so it matches no path but "
                    + "'/'."
            case .encodedName:
                "The name of a query item contains an escape; names are assumed to be compared decoded, so it matches "
                    + "no item."
            case .nonASCIIFolding:
                "'caseSensitive' is false and the pattern contains non-ASCII letters; only ASCII letters are folded "
                    + "here."
            }
        }
    }

    init(_ code: Code, at pointer: String? = nil) {
        label = code.label
        self.code = code
        self.pointer = pointer
        message = code.message
    }
}
