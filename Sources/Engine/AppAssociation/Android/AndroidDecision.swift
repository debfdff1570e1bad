/// The decision whether Android would open a URL in an app, as far as an `assetlinks.json` determines it, and by which
/// rule.
public struct AndroidDecision: Sendable, Hashable {
    public let outcome: Outcome
    /// Why no rule decides; nil for `match` and `exclude`, which a rule decides.
    public let reason: Reason?
    /// The package of the query, or the one found; nil if the file names none.
    public let app: String?
    /// The index of the deciding statement.
    public let entry: Int?
    /// The index of the deciding rule among the statement's dynamic rules.
    public let rule: Int?
    /// The JSON pointer of the deciding rule in the file (RFC 6901).
    public let pointer: String?
    /// The rules that were compared, in order: at most ``maximumTried``, but always the deciding one.
    public let tried: [TriedRule]
    /// The number of compared rules that ``tried`` omits.
    public let triedOmitted: Int
    /// Remarks on aspects of the answer that are inferred, undocumented, or true on some devices only.
    public let notes: [Note]
    /// The other conditions that must hold on a device for the answer to be true.
    public let assumptions: [String]

    /// The maximum number of rules in ``tried``, apart from the deciding one.
    public static let maximumTried = 1_000
    /// The maximum number of notes on rules. A file may have more oddities than a reader can use.
    static let maximumNotes = 100

    public enum Outcome: String, Sendable, CaseIterable {
        /// A rule opens the app, provided that the manifest accepts the URL.
        case match
        /// A rule excludes the URL; it stays in the browser.
        case exclude
        /// No rule matches, or the file does not name the app; the URL stays in the browser.
        case noMatch = "no_match"
        /// The file has no effective rules, so the intent filters of the app's manifest decide alone.
        case manifest
    }

    public enum Reason: String, Sendable, CaseIterable {
        /// The text is not a URL with a scheme and a host, or it is longer than 16 KiB.
        case invalidURL = "invalid_url"
        /// The scheme is neither http nor https. The file opens apps for these only.
        case scheme
        /// The file belongs to another host.
        case host
        /// The root is not a list or is empty, or no statement is about an Android app.
        case noApps = "no_apps"
        /// No statement names the app of the query.
        case appNotListed = "app_not_listed"
        /// No statement gives the app `delegate_permission/common.handle_all_urls`.
        case noRelation = "no_relation"
        /// Google's verifier ignores the app's statements because they are malformed.
        case statementDropped = "statement_dropped"
        case noRuleMatched = "no_rule_matched"
        /// The statement has no dynamic rules, or an empty list of them.
        case noRules = "no_rules"
        /// A malformed or empty value makes Android drop all dynamic rules.
        case rulesVoid = "rules_void"
        /// The file and the URL are too large for an answer within the step budget. The app may or may not open.
        case undecided
    }
}

extension AndroidDecision {
    /// A rule that was compared with the URL.
    public struct TriedRule: Sendable, Hashable {
        public let entry: Int
        public let rule: Int
        public let pointer: String
        /// Whether the rule has parts and all of them match.
        public let matches: Bool
        public let parts: [Part]
    }

    /// One comparison of a pattern with a component of the URL.
    public struct Part: Sendable, Hashable {
        public let kind: Kind
        /// The name of a query item; nil for other parts.
        public let name: String?
        /// The pattern as written in the file.
        public let expected: String
        /// The URL's decoded text; nil if the URL has no such component. If an item occurs several times, this is the
        /// occurrence that matches, else the first.
        public let found: String?
        public let matches: Bool

        public enum Kind: String, Sendable, CaseIterable {
            case path, item, fragment
        }
    }

    /// A remark on the certainty of the answer.
    public struct Note: Sendable, Hashable {
        public let label: Label
        public let code: Code
        /// The JSON pointer of the note's subject (RFC 6901); nil if the note is about the URL or the whole query.
        public let pointer: String?
        public let message: String

        public enum Label: String, Sendable {
            /// Follows from Android's open source. How Google services translate the rules for it is not public.
            case inferred
            /// Google does not document it. The message states the assumption that is made here.
            case notDocumented = "not documented"
            /// Holds on some devices only.
            case version
            /// A limit of this simulator.
            case limit
        }
    }
}
