/// Whether Android would open a URL in an app, as far as an `assetlinks.json` tells, and by which rule.
public struct AndroidDecision: Sendable, Hashable {
    public let outcome: Outcome
    /// Why no rule decides; nil for `match` and `exclude`, which one does.
    public let reason: Reason?
    /// The package that was asked for, or the one found; nil where the file names none.
    public let app: String?
    /// The index of the deciding statement.
    public let entry: Int?
    /// The index of the deciding rule among the statement's dynamic rules.
    public let rule: Int?
    /// The deciding rule's place in the file (RFC 6901).
    public let pointer: String?
    /// Every rule that was compared, in order, up to ``maximumTried``.
    public let tried: [TriedRule]
    /// How many more were compared.
    public let triedOmitted: Int
    /// What about the answer is inferred, not documented, or true on some devices only.
    public let notes: [Note]
    /// What else must hold on a device for the answer to come true.
    public let assumptions: [String]

    public static let maximumTried = 1_000
    /// Of notes on rules: a file can be all oddities, a reader cannot.
    static let maximumNotes = 100

    public enum Outcome: String, Sendable, CaseIterable {
        /// A rule opens the app, if the manifest takes the URL.
        case match
        /// A rule keeps the URL in the browser.
        case exclude
        /// No rule matches, or the file does not name the app: the browser.
        case noMatch = "no_match"
        /// The file has no rules that count, so the intent filters of the app's manifest decide alone.
        case manifest
    }

    public enum Reason: String, Sendable, CaseIterable {
        /// The text is no URL with a scheme and a host, or longer than 16 KiB.
        case invalidURL = "invalid_url"
        /// Only http and https links open apps by this file.
        case scheme
        /// The file stands on another host.
        case host
        /// The root is no list, or an empty one, or no statement is about an Android app.
        case noApps = "no_apps"
        case appNotListed = "app_not_listed"
        /// No statement gives the app `delegate_permission/common.handle_all_urls`.
        case noRelation = "no_relation"
        case noRuleMatched = "no_rule_matched"
        /// The statement has no dynamic rules, or an empty list of them.
        case noRules = "no_rules"
        /// One malformed or empty value makes Android drop all dynamic rules.
        case rulesVoid = "rules_void"
        /// The file and the URL are so large that the answer would take too long. The app may or may not open.
        case undecided
    }
}

extension AndroidDecision {
    /// A rule that was compared with the URL.
    public struct TriedRule: Sendable, Hashable {
        public let entry: Int
        public let rule: Int
        public let pointer: String
        /// Whether all parts match, and there is one.
        public let matches: Bool
        public let parts: [Part]
    }

    /// One comparison of a pattern with a part of the URL.
    public struct Part: Sendable, Hashable {
        public let kind: Kind
        /// Of a query item.
        public let name: String?
        /// The pattern, as it stands in the file.
        public let expected: String
        /// The URL's text, decoded; nil where the URL has no such part. Of an item that stands there several times the one
        /// that matches, else the first.
        public let found: String?
        public let matches: Bool

        public enum Kind: String, Sendable, CaseIterable {
            case path, item, fragment
        }
    }

    /// A remark on how sure the answer is.
    public struct Note: Sendable, Hashable {
        public let label: Label
        public let code: Code
        /// Where in the file (RFC 6901); nil for what concerns the URL or the whole question.
        public let pointer: String?
        public let message: String

        public enum Label: String, Sendable {
            /// Follows from Android's open source; how Google services translate the rules for it is not public.
            case inferred
            /// Google says nothing about it. The message tells what is assumed here.
            case notDocumented = "not documented"
            /// Holds on some devices only.
            case version
            /// A limit of this simulator.
            case limit
        }
    }
}
