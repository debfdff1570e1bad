package import LinkRouting

extension Event {
    /// The recorded facts of a resolution. The order follows the log's columns, except for technical ones.
    package struct Parts: Sendable, Hashable {
        /// A UUIDv7.
        package var id: String
        /// The server's clock.
        package var recordedAt: Timestamp
        /// The caller's clock.
        package var occurredAt: Timestamp?
        package var purpose = Purpose.live
        package var kind = Kind.resolve
        /// The id of the event that caused this one.
        package var parent: String?
        /// The caller's own id for finding the event again.
        package var clientEventID: String?

        package var tenant: TenantID
        package var environment: EnvironmentID
        package var app: AppID?
        package var route: RouteID?
        package var revision: Revision?
        package var settingsRevision: Int64?

        package var outcome: Outcome
        package var action: Action?
        /// Why the link was rejected.
        package var reason: String?
        package var experiment: String?
        package var variant: String?

        /// The scheme and host, as far as they could be parsed.
        package var scheme: String?
        package var host: String?
        /// The path with sensitive parameters written as `{name}`. For an unmatched link, as much as the settings
        /// allow.
        package var path: String?
        /// The length of the link in UTF-8 bytes.
        package var linkLength: Int
        /// The allow-listed items, in the link's order. ``utm(_:)`` reads the UTM fields from it.
        package var query: [QueryItem] = []
        /// A JSON object without sensitive parameters.
        package var parameters: String?

        package var platform: Platform?
        package var device: Device?
        package var osVersion: String?
        package var appVersion: String?
        package var appBuild: Int64?
        /// A JSON object of the allow-listed traits.
        package var traits: String?
        package var locale: String?
        package var country: String?
        package var referrerHost: String?
        /// The truncated or keyed client address.
        package var address: String?
        /// At most 512 bytes.
        package var userAgent: String?
        /// The class of the client program; nil for programs that people use.
        package var botClass: String?
        /// 32 hexadecimal digits: the HMAC of the caller's `stickyKey` with a key of the tenant. Nil unless the
        /// tenant's settings record installs.
        package var install: String?

        /// The entry point of the link: `api` or `click`.
        package var source: String
        package var node: String
        package var requestID: String
        package var method: String

        var byteCount: Int {
            var count = MemoryLayout<Parts>.stride + id.utf8.count + source.utf8.count + node.utf8.count
            count += requestID.utf8.count + tenant.rawValue.utf8.count + environment.rawValue.utf8.count
            count +=
                Self.count(parent) + Self.count(clientEventID) + Self.count(app?.rawValue) + Self.count(route?.rawValue)
            count +=
                Self.count(reason) + Self.count(experiment) + Self.count(variant) + Self.count(scheme)
                + Self.count(host)
            count += Self.count(path) + Self.count(parameters) + Self.count(osVersion) + Self.count(appVersion)
            count += Self.count(locale) + Self.count(country) + Self.count(referrerHost) + Self.count(address)
            count += Self.count(userAgent) + Self.count(traits) + Self.count(botClass) + Self.count(install)
            for item in query { count += MemoryLayout<QueryItem>.stride + item.name.utf8.count + item.value.utf8.count }
            return count
        }

        private static func count(_ text: String?) -> Int { text?.utf8.count ?? 0 }
    }
}
