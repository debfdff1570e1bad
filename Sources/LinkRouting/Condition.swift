/// What a route says about one item of the query. Items that no condition names never matter.
public struct QueryCondition: Sendable, Hashable {
    /// The item's name, decoded.
    public let name: String
    public let test: Test

    public enum Test: Sendable, Hashable {
        case present
        case absent
        /// Every occurrence has one of these values; a valueless item has the empty string.
        case oneOf([String])
        /// Every occurrence has the type; the first is captured as the parameter.
        case capture(Pattern.Parameter, Need)
    }

    public enum Need: Sendable, Hashable {
        case required
        /// An absent name captures nothing; arguments that use it are dropped.
        case optional
        /// An absent name captures this text, which has the type.
        case defaultsTo(String)
    }

    public init(name: String, test: Test) {
        self.name = name
        self.test = test
    }
}

/// What a route says about the fragment.
public enum FragmentCondition: Sendable, Hashable {
    case equals(String)
    /// A path pattern over the fragment, which then starts with `/`.
    case pattern(Pattern)
}

/// What a route's `when` says about the context. Three-valued: a condition on something that the context lacks is
/// unknown, and neither it nor its negation holds.
public indirect enum Condition: Sendable, Hashable {
    case platform([Platform])
    case device([Device])
    case osVersion(VersionRange)
    case appVersion(VersionRange)
    case appBuild(BuildRange)
    case locale([LanguageTag])
    case country([String])
    case authenticated(Bool)
    case trait(String, oneOf: [String])
    case inAppBrowser(Bool)
    case time(from: Timestamp?, until: Timestamp?)
    case rollout(Rollout)
    case apps([AppID])
    case all([Condition])
    case any([Condition])
    case not(Condition)

    /// `from` is included, `until` is not.
    public struct VersionRange: Sendable, Hashable {
        public let from: Version?
        public let until: Version?

        public init(from: Version?, until: Version?) {
            self.from = from
            self.until = until
        }
    }

    /// `from` is included, `until` is not.
    public struct BuildRange: Sendable, Hashable {
        public let from: Int64?
        public let until: Int64?

        public init(from: Int64?, until: Int64?) {
            self.from = from
            self.until = until
        }
    }

    /// A share of the sticky keys, in hundredths of a percent: 0…10,000.
    public struct Rollout: Sendable, Hashable {
        public let basisPoints: Int
        public let salt: String

        public init(basisPoints: Int, salt: String) {
            self.basisPoints = basisPoints
            self.salt = salt
        }
    }
}

/// How a condition came out.
public enum Truth: Sendable, Hashable {
    case holds, fails, unknown

    /// The negation: unknown stays unknown.
    public static prefix func ! (truth: Truth) -> Truth {
        switch truth {
        case .holds: .fails
        case .fails: .holds
        case .unknown: .unknown
        }
    }
}
