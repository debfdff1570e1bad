extension AndroidDecision.Note {
    /// The subject of a note. Raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        case androidVersion = "android_version"
        case orderAcrossApps = "order_across_apps"
        case severalRuleSets = "several_rule_sets"
        case severalStatements = "several_statements"
        case malformedStatement = "malformed_statement"
        case malformedFingerprint = "malformed_fingerprint"
        case rulesVoid = "rules_void"
        case emptyRule = "empty_rule"
        case unknownKey = "unknown_key"
        case noBacktracking = "no_backtracking"
        case starBeforeOne = "star_before_one"
        case greedyWildcards = "greedy_wildcards"
        case backslash
        case bareItem = "bare_item"
        case urlPort = "url_port"
        case urlInvalidEscape = "url_invalid_escape"
        case stepBudget = "step_budget"

        var label: Label {
            switch self {
            case .androidVersion, .severalRuleSets: .version
            case .noBacktracking, .starBeforeOne, .greedyWildcards, .bareItem, .backslash, .malformedStatement,
                .malformedFingerprint:
                .inferred
            case .orderAcrossApps, .severalStatements, .rulesVoid, .emptyRule, .unknownKey,
                .urlPort,
                .urlInvalidEscape:
                .notDocumented
            case .stepBudget: .limit
            }
        }

        var message: String {
            switch self {
            case .androidVersion:
                "Dynamic rules apply on Android 15 and later with Google services; elsewhere only the manifest decides."
            case .orderAcrossApps:
                "The file names several apps; if more than one is installed, Android asks, or the user's earlier "
                    + "choice decides."
            case .severalRuleSets:
                "Several statements about this app have dynamic rules; which one applies is not guaranteed. The "
                    + "first is assumed."
            case .severalStatements:
                "Several statements name this app; a device ignores those whose fingerprints do not include the "
                    + "installed app's."
            case .malformedStatement:
                "Google's verifier drops this statement as malformed, so it verifies no app."
            case .malformedFingerprint:
                "Android verifies no app with this malformed fingerprint; the other fingerprints of the statement are "
                    + "assumed to count."
            case .rulesVoid:
                "A value is empty or has the wrong type, so Android drops all dynamic rules of the statement."
            case .emptyRule:
                "The rule has no condition on the URL. An Android filter group without filters matches nothing; "
                    + "Google services may also drop all rules."
            case .unknownKey:
                "The rule has a key that Android does not document; it is assumed to be ignored."
            case .noBacktracking:
                "Android ends '*' at the first occurrence of the next character and does not backtrack; a matcher "
                    + "that backtracks would match here."
            case .starBeforeOne:
                "A wildcard follows '*'. Android's source then looks for a literal dot, so the pattern probably matches "
                    + "nothing."
            case .greedyWildcards:
                "In the source of Android 15, each '*' of a pattern with '?*' takes the rest of the text, and '+' repeats "
                    + "the character before it. There, the result of this pattern is the opposite. Use '?*' only at the "
                    + "end of a pattern, without another '*' or a '+'."
            case .backslash: "The pattern contains a backslash, which is compared literally."
            case .bareItem:
                "The URL has the query item without '='. A rule is assumed to look for the name, '=' and a value, "
                    + "so it does not match."
            case .urlPort: "The URL has a port; Android applies a host's rules to every port."
            case .urlInvalidEscape: "The URL has a '%' without two hexadecimal digits, which is compared literally."
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
