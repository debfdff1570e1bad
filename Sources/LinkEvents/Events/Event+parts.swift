package import LinkRouting

extension Event {
    /// What is known of a resolution, in the order of the log's columns as far as people read them.
    package struct Parts: Sendable, Hashable {
        /// A UUIDv7.
        package var id: String
        /// The server's clock.
        package var recordedAt: Timestamp
        /// The caller's clock.
        package var occurredAt: Timestamp?
        package var purpose = Purpose.live
        package var kind = Kind.resolve
        /// The event that this one follows from.
        package var parent: String?
        /// The caller's own id, so that it can find the event again.
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

        /// As far as it could be read.
        package var scheme: String?
        package var host: String?
        /// With sensitive parameters written as `{name}`; of an unmatched link as much as the settings allow.
        package var path: String?
        /// UTF-8 bytes of the link.
        package var linkLength: Int
        /// Allow-listed items, in the link's order. The UTM fields are read from it, see ``utm``.
        package var query: [QueryItem] = []
        /// A JSON object without sensitive parameters.
        package var parameters: String?

        package var platform: Platform?
        package var device: Device?
        package var osVersion: String?
        package var appVersion: String?
        package var appBuild: Int64?
        /// A JSON object of the allow-listed ones.
        package var traits: String?
        package var locale: String?
        package var country: String?
        package var referrerHost: String?
        /// Truncated or keyed.
        package var address: String?
        /// At most 512 bytes.
        package var userAgent: String?
        /// What kind of program asks, where it is none that a person uses.
        package var botClass: String?
        /// 32 hexadecimal digits: the caller's `stickyKey` under a key of the tenant, where its settings record installs.
        package var install: String?

        /// Which way the link came in: `api` or `click`.
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
