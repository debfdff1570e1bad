/// A condition on one query item. Items that no condition names are ignored.
public struct QueryCondition: Sendable, Hashable {
    /// The item's name, decoded.
    public let name: String
    public let test: Test

    public enum Test: Sendable, Hashable {
        case present
        case absent
        /// Every occurrence has one of these values. The value of an item without `=` is the empty string.
        case oneOf(ListedValues)
        /// Every occurrence has the type; the first is captured as the parameter.
        case capture(RoutePattern.Parameter, Presence)
    }

    public enum Presence: Sendable, Hashable {
        case required
        /// A missing item captures nothing; arguments that use the parameter are dropped.
        case optional
        /// A missing item captures this text, which is a valid value of the type.
        case defaultsTo(String)
    }

    public init(name: String, test: Test) {
        self.name = name
        self.test = test
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.name.isExactly(right.name) && left.test == right.test
    }
}

// Texts are compared by their bytes, as in link matching.

extension QueryCondition.Presence {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.required, .required), (.optional, .optional): true
        case (.defaultsTo(let left), .defaultsTo(let right)): left.isExactly(right)
        default: false
        }
    }
}

extension FragmentCondition {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.equals(let left), .equals(let right)): left.isExactly(right)
        case (.pattern(let left), .pattern(let right)): left == right
        default: false
        }
    }
}

extension Condition {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.platform(let left), .platform(let right)): left == right
        case (.device(let left), .device(let right)): left == right
        case (.osVersion(let left), .osVersion(let right)): left == right
        case (.appVersion(let left), .appVersion(let right)): left == right
        case (.appBuild(let left), .appBuild(let right)): left == right
        case (.locale(let left), .locale(let right)): left == right
        case (.country(let left), .country(let right)): left == right
        case (.authenticated(let left), .authenticated(let right)): left == right
        case (.trait(let left, let leftValues), .trait(let right, let rightValues)):
            left.isExactly(right) && leftValues == rightValues
        case (.inAppBrowser(let left), .inAppBrowser(let right)): left == right
        case (.time(let left, let leftEnd), .time(let right, let rightEnd)): left == right && leftEnd == rightEnd
        case (.rollout(let left), .rollout(let right)): left == right
        case (.apps(let left), .apps(let right)): left == right
        case (.all(let left), .all(let right)), (.any(let left), .any(let right)): left == right
        case (.not(let left), .not(let right)): left == right
        default: false
        }
    }
}

extension Condition.Rollout {
    public static func == (left: Self, right: Self) -> Bool {
        left.basisPoints == right.basisPoints && left.salt.isExactly(right.salt)
    }
}

/// A condition on the fragment.
public enum FragmentCondition: Sendable, Hashable {
    case equals(String)
    /// A path pattern for a fragment that starts with `/`.
    case pattern(RoutePattern)
}

/// A condition on the context, from a route's `when`. It uses three-valued logic: a condition on an unknown fact is
/// unknown, and so is its negation; neither holds.
public indirect enum Condition: Sendable, Hashable {
    case platform([Platform])
    case device([Device])
    case osVersion(VersionRange)
    case appVersion(VersionRange)
    case appBuild(BuildRange)
    case locale([LanguageTag])
    case country(ListedValues)
    case authenticated(Bool)
    case trait(String, oneOf: ListedValues)
    case inAppBrowser(Bool)
    case time(from: Timestamp?, until: Timestamp?)
    case rollout(Rollout)
    case apps([AppID])
    case all([Condition])
    case any([Condition])
    case not(Condition)

    /// A half-open range: `from` is included, `until` is not.
    public struct VersionRange: Sendable, Hashable {
        public let from: Version?
        public let until: Version?

        public init(from: Version?, until: Version?) {
            self.from = from
            self.until = until
        }
    }

    /// A half-open range: `from` is included, `until` is not.
    public struct BuildRange: Sendable, Hashable {
        public let from: Int64?
        public let until: Int64?

        public init(from: Int64?, until: Int64?) {
            self.from = from
            self.until = until
        }
    }

    /// A share of the sticky keys, in basis points (hundredths of a percent): 0 to 10,000.
    public struct Rollout: Sendable, Hashable {
        public let basisPoints: Int
        public let salt: String

        public init(basisPoints: Int, salt: String) {
            self.basisPoints = basisPoints
            self.salt = salt
        }
    }
}

/// The result of evaluating a condition.
public enum Tristate: Sendable, Hashable {
    case holds, fails, unknown

    /// The negation: unknown stays unknown.
    public static prefix func ! (truth: Tristate) -> Tristate {
        switch truth {
        case .holds: .fails
        case .fails: .holds
        case .unknown: .unknown
        }
    }
}
