extension AppleDecision.Note {
    /// The subject of a note.
    public enum Code: String, Sendable, CaseIterable {
        // The question
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
                "The file names several apps. Which of several installed apps opens a link is not guaranteed; the first in "
                    + "the file's order is assumed. Name the app to ask about it alone."
            case .appListedAgain:
                "The app stands in several entries; devices read the first one only."
            case .stepBudget:
                "The file and the URL are too large to be compared within the limit; a device may open the app."
            case .urlUser: "The URL names a user or password, which is left aside; it is not documented whether it may."
            case .urlPort: "The URL names a port, which is left aside; entitlements name hosts without ports."
            case .urlTrailingDot: "The URL's host ends with a dot, which is left aside."
            case .urlEncoded:
                "The URL holds characters that must be percent-encoded; they are compared as iOS 17 and later encode them. "
                    + "Older systems take no such URL."
            case .urlDelimiters: "The URL holds '^', '{', '|' or '}' as they are; some systems encode them first."
            case .urlInvalidEscape: "The URL holds a '%' without two hexadecimal digits; it is compared as it is."
            case .urlDotSegment:
                "The URL's path holds '.' or '..'; it is compared as it is, but a browser resolves it first."
            case .urlEmptySegment: "The URL's path holds '//'; it is assumed to be compared like '/'."
            case .urlParameters: "The URL's path holds ';'; it is compared as part of the path."
            case .urlNotUTF8: "The URL's escapes are no UTF-8; the part is compared as it is written."
            case .duplicateKey: "A key stands twice in an object; the last value is assumed to count."
            case .appsBesideDetails: "'apps' is not empty beside 'details'; it is assumed to count for nothing."
            case .appsWithoutDetails:
                "'apps' names apps but there is no 'details'. Devices are reported to open every URL in them; here the file "
                    + "is assumed to open none."
            case .dictionaryOrder:
                "'details' is an object, whose entries have no order on a device; the file's is assumed."
            case .noRules:
                "The entry has neither 'components' nor 'paths'. Devices are reported to open every URL; here the entry is "
                    + "assumed to open none."
            case .componentsType: "'components' is no list; 'paths' is assumed to count."
            case .appIDsBesidePaths:
                "'appIDs' stands beside 'paths' only; iOS 12 and older, which read 'paths', do not know it."
            case .ruleType: "The rule is no object; it is assumed to take every URL."
            case .patternType: "The pattern is no string; it is assumed to constrain nothing."
            case .queryType: "'?' is neither a string nor an object; it is assumed to constrain nothing."
            case .itemType: "A value inside '?' is no string, so devices drop the whole '?' of this rule."
            case .emptyQuery: "'?' is an empty object; it is assumed to constrain nothing."
            case .flagType:
                "A value that should be true or false is neither; a number other than 0 and a string that starts with Y, T "
                    + "or a digit other than 0 are assumed to be true, all else false."
            case .notInLowerCase: "'NOT ' is not written in capitals; it is assumed to exclude all the same."
            case .unknownVariable: "The pattern names a variable that does not exist; it is assumed to match nothing."
            case .unterminatedVariable: "The pattern has '$(' without ')'; it is assumed to match nothing."
            case .shadowedVariable:
                "A variable has the name of a built-in one; the file's own values are assumed to count."
            case .variableInValue:
                "A value of a variable refers to a variable; the value is assumed to count for nothing."
            case .variableType: "A variable is no list of strings; what is no string is assumed to count for nothing."
            case .localeCodeCase:
                "$(lang) and $(region) are compared in the case of the ISO codes; devices are reported to take either case, "
                    + "which would make this rule's pattern match."
            case .backslash:
                "The pattern holds a backslash, which is compared as it is; devices are reported to treat it apart."
            case .complexity:
                "The pattern has more than 64 wildcards and variables; devices are reported to refuse it, so that it matches "
                    + "nothing."
            case .nonASCIIFolding:
                "'caseSensitive' is false and the pattern holds letters beyond ASCII; only ASCII letters are folded here."
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
