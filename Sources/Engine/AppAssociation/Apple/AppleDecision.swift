/// The decision whether iOS would open a URL in an app, and the rule of an association file that decides it.
public struct AppleDecision: Sendable, Hashable {
    public let outcome: Outcome
    /// Why the file does not open the URL; nil for `match` and `exclude`, which a rule decides.
    public let reason: Reason?
    /// The app of the query, or the one found; nil if the file names none.
    public let app: String?
    /// The index of the app's entry in `details`.
    public let entry: Int?
    /// The index of the deciding rule in its entry.
    public let rule: Int?
    /// The JSON pointer of the deciding rule in the file (RFC 6901).
    public let pointer: String?
    /// The deciding rule, merged with its defaults; nil if no rule decides.
    public let mergedRule: AppleAppSiteAssociation.MergedRule?
    /// The rules that were compared, in order: at most ``maximumTried``, but always the deciding one.
    public let tried: [TriedRule]
    /// The number of compared rules that ``tried`` omits.
    public let triedOmitted: Int
    /// Remarks on aspects of the answer that Apple does not document or that were not computed.
    public let notes: [Note]
    /// The other conditions that must hold on a device for the answer to be true.
    public let assumptions: [String]

    /// The maximum number of rules in ``tried``, apart from the deciding one.
    public static let maximumTried = 1_000
    /// The maximum number of parts of all rules in ``tried``. The deciding rule may exceed it.
    static let maximumParts = 4_000
    /// The maximum number of notes on rules, and of notes on comparisons. A file may have more oddities than a reader
    /// can use.
    static let maximumNotes = 100

    public enum Outcome: String, Sendable, CaseIterable {
        /// The app opens.
        case match
        /// A rule excludes the URL; it stays in the browser.
        case exclude
        /// No rule decides. ``AppleDecision/reason`` states why.
        case noMatch = "no_match"
    }

    public enum Reason: String, Sendable, CaseIterable {
        /// The text is not a URL with a scheme and a host, or it is longer than 16 KiB.
        case invalidURL = "invalid_url"
        /// The scheme is neither http nor https. The file opens apps for these only.
        case scheme
        /// The file belongs to another host.
        case host
        /// There is no `applinks` object.
        case noApplinks = "no_applinks"
        /// `details` is missing, empty, or neither a list nor an object, or its entries name no app.
        case noApps = "no_apps"
        /// No entry names the app of the query.
        case appNotListed = "app_not_listed"
        /// The app's entry has neither `components` nor `paths`.
        case noRules = "no_rules"
        case noRuleMatched = "no_rule_matched"
        /// The file and the URL are too large for an answer within the step budget. The app may or may not open.
        case undecided
    }
}

extension AppleDecision {
    /// A rule that was compared with the URL.
    public struct TriedRule: Sendable, Hashable {
        public let entry: Int
        public let rule: Int
        public let pointer: String
        /// Whether all parts match.
        public let matches: Bool
        /// The parts that the rule constrains; empty for a rule that matches every URL.
        public let parts: [Part]
    }

    /// One comparison of a pattern with a component of the URL.
    public struct Part: Sendable, Hashable {
        public let kind: Kind
        /// The name of a query item; nil for other parts.
        public let name: String?
        /// The pattern as written in the file.
        public let expected: String
        /// The URL's text, decoded if the rule says so; nil for an absent query item, which counts as empty. If an item
        /// occurs several times, this is the first occurrence that does not match, else the first.
        public let found: String?
        public let matches: Bool
        /// The level that sets the pattern.
        public let level: AppleAppSiteAssociation.MergedRule.Level

        public enum Kind: String, Sendable, CaseIterable {
            case path, query, item, fragment
        }
    }

    /// A remark on the certainty of the answer.
    public struct Note: Sendable, Hashable {
        public let label: Label
        /// A stable code, such as `backslash`.
        public let code: Code
        /// The JSON pointer of the note's subject (RFC 6901); nil if the note is about the URL or the whole query.
        public let pointer: String?
        public let message: String

        public enum Label: String, Sendable {
            /// Apple does not document it. The message states the assumption that is made here.
            case notDocumented = "not documented"
            /// Observed only in recorded runs of Apple's `swcutil`.
            case recorded
            /// A limit of this simulator.
            case limit
        }
    }
}
