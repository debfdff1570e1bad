extension AndroidDecision.Note {
    /// The subject of a note. Raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        case androidVersion = "android_version"
        case orderAcrossApps = "order_across_apps"
        case severalRuleSets = "several_rule_sets"
        case severalStatements = "several_statements"
        case malformedStatement = "malformed_statement"
        case rulesVoid = "rules_void"
        case emptyRule = "empty_rule"
        case unknownKey = "unknown_key"
        case noBacktracking = "no_backtracking"
        case starBeforeOne = "star_before_one"
        case backslash
        case bareItem = "bare_item"
        case urlPort = "url_port"
        case urlInvalidEscape = "url_invalid_escape"
        case stepBudget = "step_budget"

        var label: Label {
            switch self {
            case .androidVersion, .severalRuleSets: .version
            case .noBacktracking, .starBeforeOne, .bareItem, .backslash: .inferred
            case .orderAcrossApps, .severalStatements, .malformedStatement, .rulesVoid, .emptyRule, .unknownKey,
                .urlPort,
                .urlInvalidEscape:
                .notDocumented
            case .stepBudget: .limit
            }
        }

        var message: String {
            switch self {
            case .androidVersion:
                "Dynamic rules count on Android 15 and later with Google services; elsewhere the manifest decides alone."
            case .orderAcrossApps:
                "The file names several apps; where more than one is installed, Android asks or the person's choice decides."
            case .severalRuleSets:
                "Several statements about this app have dynamic rules; which are used is not guaranteed. The first is assumed."
            case .severalStatements:
                "Several statements name this app; those with other fingerprints than the installed app's do not count on a "
                    + "device."
            case .malformedStatement:
                "Google's verifier drops this statement as malformed; the answer is what it would say once it is corrected."
            case .rulesVoid:
                "A value is empty or has a wrong type, which makes Android drop all dynamic rules of the statement."
            case .emptyRule:
                "The rule names no part of the URL. Android's filter group without filters takes nothing; Google services may "
                    + "also drop all rules."
            case .unknownKey:
                "The rule has a key that Android does not document; it is assumed to be ignored."
            case .noBacktracking:
                "Android runs '*' to the first place where the next character is found and never tries a later one; a matcher "
                    + "that did would match here."
            case .starBeforeOne:
                "'*' stands before '?'; the two are taken as '?*', one or more characters."
            case .backslash: "The pattern holds a backslash, which is compared as it is."
            case .bareItem:
                "The item stands in the URL without '='; a rule is taken to look for the name, '=' and a value, so that it "
                    + "does not match."
            case .urlPort: "The URL has a port; Android's rules stand for a host, whatever the port."
            case .urlInvalidEscape: "The URL has a '%' without two hexadecimal digits; it is compared as it is."
            case .stepBudget: "The answer would take too long; the file or the URL is too large."
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
