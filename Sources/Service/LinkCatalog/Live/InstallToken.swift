package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What the store hands from a click to the app that is installed: a sealed token, with which the app asks for its link.
package struct InstallToken: Sendable, Hashable {
    /// Lifetime of a token, in milliseconds: 30 days, for which the log recognizes an install that it has counted.
    package static let lifetime: Int64 = 30 * 86_400_000
    /// The maximum length of a link in a token, in UTF-8 bytes: a store need not keep a longer referrer.
    package static let longestLink = 512

    package let tenant: TenantID
    package let environment: EnvironmentID
    package let app: AppID
    /// The id of the click's event, by which an install is counted once.
    package let click: String
    package let clickedAt: Timestamp
    /// Nil for a long link, and for one with a sensitive value.
    package let link: String?

    package init(
        tenant: TenantID,
        environment: EnvironmentID,
        app: AppID,
        click: String,
        clickedAt: Timestamp,
        link: String?
    ) {
        self.tenant = tenant
        self.environment = environment
        self.app = app
        self.click = click
        self.clickedAt = clickedAt
        self.link = link
    }
}

/// Seals and opens the tokens of installs.
package struct InstallTokenSealer: Sendable {
    private static let version: UInt8 = 2
    /// No token is longer.
    private static let maximumBytes = 4_096

    private let keys: SealingKeys

    /// Takes keys of 32 bytes, newest first. Nil without keys, or when a key has another length.
    package init?(keys: [Data]) {
        guard let keys = SealingKeys(keys) else { return nil }
        self.keys = keys
    }

    /// Uses other keys from now on, newest first. Ignores none, and keys of another length.
    package func replaceKeys(_ keys: [Data]) { self.keys.replace(with: keys) }

    package func seal(_ token: InstallToken) throws -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("t", token.tenant.rawValue)
        writer.member("e", token.environment.rawValue)
        writer.member("a", token.app.rawValue)
        writer.member("c", token.click)
        writer.member("s", token.clickedAt.milliseconds)
        writer.member("u", token.link)
        writer.endObject()
        return try keys.seal(writer.bytes, version: Self.version)
    }

    /// Opens a token of this tenant, environment and app that has not expired; nil for every other text, without telling
    /// why.
    package func open(
        _ text: String,
        of tenant: TenantID,
        in environment: EnvironmentID,
        for app: AppID,
        at now: Timestamp
    ) -> InstallToken? {
        guard let node = keys.open(text, version: Self.version, maximumBytes: Self.maximumBytes),
            node["t"]?.text == tenant.rawValue, node["e"]?.text == environment.rawValue,
            node["a"]?.text == app.rawValue, let click = node["c"]?.text, let clickedAt = node["s"]?.int,
            now.milliseconds < clickedAt + InstallToken.lifetime
        else { return nil }
        return InstallToken(
            tenant: tenant,
            environment: environment,
            app: app,
            click: click,
            clickedAt: Timestamp(milliseconds: clickedAt),
            link: node["u"]?.text
        )
    }
}
