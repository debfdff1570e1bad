/// Whether iOS would open a URL in an app, and by which rule of an association file.
public struct AppleDecision: Sendable, Hashable {
    public let outcome: Outcome
    /// Why the file does not open the URL; nil for `match` and `exclude`, which a rule decides.
    public let reason: Reason?
    /// The app that was asked for, or the one found; nil where the file names none.
    public let app: String?
    /// The index in `details` of the app's entry.
    public let entry: Int?
    /// The index of the deciding rule in its entry.
    public let rule: Int?
    /// The deciding rule's place in the file (RFC 6901).
    public let pointer: String?
    public let mergedRule: AppleAppSiteAssociation.MergedRule?
    /// Every rule that was compared, in order, up to ``maximumTried``, and in any case the deciding one.
    public let tried: [TriedRule]
    /// How many more were compared.
    public let triedOmitted: Int
    /// What about the answer is not documented by Apple or was not computed.
    public let notes: [Note]
    /// What else must hold on a device for the answer to come true.
    public let assumptions: [String]

    public static let maximumTried = 1_000
    /// Of all rules that are told; the deciding one may go beyond.
    static let maximumParts = 4_000
    /// Of notes on rules, and of notes on comparisons: a file can be all oddities, a reader cannot.
    static let maximumNotes = 100

    public enum Outcome: String, Sendable, CaseIterable {
        /// The app opens.
        case match
        /// A rule keeps the URL in the browser.
        case exclude
        case noMatch = "no_match"
    }

    public enum Reason: String, Sendable, CaseIterable {
        /// The text is no URL with a scheme and a host, or longer than 16 KiB.
        case invalidURL = "invalid_url"
        /// Only http and https links open apps by this file.
        case scheme
        /// The file stands on another host.
        case host
        /// There is no `applinks` object.
        case noApplinks = "no_applinks"
        /// `details` is missing, empty, or neither a list nor an object, or its entries name no app.
        case noApps = "no_apps"
        case appNotListed = "app_not_listed"
        /// The app's entry has neither `components` nor `paths`.
        case noRules = "no_rules"
        case noRuleMatched = "no_rule_matched"
        /// The file and the URL are so large that the answer would take too long. The app may or may not open.
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
        /// The parts that the rule constrains; none for a rule that takes every URL.
        public let parts: [Part]
    }

    /// One comparison of a pattern with a part of the URL.
    public struct Part: Sendable, Hashable {
        public let kind: Kind
        /// Of a query item.
        public let name: String?
        /// The pattern, as it stands in the file.
        public let expected: String
        /// The URL's text, decoded where the rule says so; nil for a query item that is not there, which counts as empty. Of
        /// an item that stands there several times the first that does not match.
        public let found: String?
        public let matches: Bool
        /// Where the pattern comes from.
        public let level: AppleAppSiteAssociation.MergedRule.Level

        public enum Kind: String, Sendable, CaseIterable {
            case path, query, item, fragment
        }
    }

    /// A remark on how sure the answer is.
    public struct Note: Sendable, Hashable {
        public let label: Label
        /// Stable, such as `backslash`.
        public let code: Code
        /// Where in the file (RFC 6901); nil for what concerns the URL or the whole question.
        public let pointer: String?
        public let message: String

        public enum Label: String, Sendable {
            /// Apple says nothing about it. The message tells what is assumed here.
            case notDocumented = "not documented"
            /// Seen in recorded runs of Apple's `swcutil` only.
            case recorded
            /// A limit of this simulator.
            case limit
        }
    }
}
