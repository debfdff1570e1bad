/// An identifier, such as that of a tenant, a route or an app.
///
/// Identifiers match `[a-z0-9][a-z0-9._-]{0,63}`. They are compared by bytes and are safe in URLs, file names and SQL.
public protocol Identifier: Hashable, Sendable, Comparable, CustomStringConvertible {
    var rawValue: String { get }
    /// Nil unless `text` matches `[a-z0-9][a-z0-9._-]{0,63}`.
    init?(_ text: some StringProtocol)
}

extension Identifier {
    public var description: String { rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A tenant: one brand or product. `-` is reserved for data without a tenant, see ``TenantID/none``.
public struct TenantID: Identifier {
    public let rawValue: String

    /// The reserved tenant under which links of unknown hosts and schemes are recorded.
    public static let none = TenantID(reserved: "-")

    public init?(_ text: some StringProtocol) {
        guard isIdentifier(text) else { return nil }
        rawValue = String(text)
    }

    private init(reserved: String) { rawValue = reserved }
}

/// A named environment that a table is published to; `production` by default.
public struct EnvironmentID: Identifier {
    public let rawValue: String
    public static let production = EnvironmentID(known: "production")

    /// The reserved name for the counts of all environments in which nothing was published.
    public static let unpublished = EnvironmentID(known: "-")

    public init?(_ text: some StringProtocol) {
        guard isIdentifier(text) else { return nil }
        rawValue = String(text)
    }

    private init(known: String) { rawValue = known }
}

/// A route of one table. Ids are never reused for another meaning.
public struct RouteID: Identifier {
    public let rawValue: String

    public init?(_ text: some StringProtocol) {
        guard isIdentifier(text) else { return nil }
        rawValue = String(text)
    }
}

/// An app, by its name in the tenant's settings, for example `ios`; not a bundle ID.
public struct AppID: Identifier {
    public let rawValue: String

    public init?(_ text: some StringProtocol) {
        guard isIdentifier(text) else { return nil }
        rawValue = String(text)
    }
}

/// The number of a published table: 1, 2, 3 …, never reused.
public struct Revision: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public var description: String { String(rawValue) }
    public static func < (left: Revision, right: Revision) -> Bool { left.rawValue < right.rawValue }
}

/// Whether the text has the form of an ``Identifier``.
package func isIdentifier(_ text: some StringProtocol) -> Bool { isIdentifier(utf8: text.utf8) }

func isIdentifier(utf8 bytes: some Sequence<UInt8>) -> Bool {
    var length = 0
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            break
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            guard length > 0 else { return false }
        default:
            return false
        }
        length += 1
        guard length <= 64 else { return false }
    }
    return length > 0
}
