package import LinkRouting

/// One recorded resolution. What may not be recorded is left out before an event exists, see ``Redaction``.
package struct Event: Sendable, Hashable {
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
    /// From the request's arrival to the recorder; the commit is not in it. The links of a batch share it.
    package var latencyMicroseconds: Int64?

    package struct QueryItem: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The campaign that a link belongs to, as far as the tenant lets its query be recorded.
    package enum UTM: String, Sendable, CaseIterable {
        case source = "utm_source"
        case medium = "utm_medium"
        case campaign = "utm_campaign"
        case term = "utm_term"
        case content = "utm_content"
    }

    /// The first of the recorded items of that name, where it is not empty.
    package func utm(_ field: UTM) -> String? {
        query.first { $0.name == field.rawValue }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    package enum Purpose: String, Sendable, CaseIterable {
        case live, test, preview, prefetch
    }

    /// What happened. Open-ended: callers and later versions add their own.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        package static let resolve = Kind(rawValue: "resolve")
        package static let click = Kind(rawValue: "click")
    }

    package init(
        id: String,
        recordedAt: Timestamp,
        tenant: TenantID,
        environment: EnvironmentID,
        outcome: Outcome,
        linkLength: Int,
        source: String,
        node: String,
        requestID: String,
        method: String
    ) {
        self.id = id
        self.recordedAt = recordedAt
        self.tenant = tenant
        self.environment = environment
        self.outcome = outcome
        self.linkLength = linkLength
        self.source = source
        self.node = node
        self.requestID = requestID
        self.method = method
    }

    /// About how much memory the event takes, for the recorder's bounds. Allocates nothing.
    package var byteCount: Int {
        var count = MemoryLayout<Event>.stride + id.utf8.count + source.utf8.count + node.utf8.count
        count += requestID.utf8.count + tenant.rawValue.utf8.count + environment.rawValue.utf8.count
        count +=
            Self.count(parent) + Self.count(clientEventID) + Self.count(app?.rawValue) + Self.count(route?.rawValue)
        count +=
            Self.count(reason) + Self.count(experiment) + Self.count(variant) + Self.count(scheme) + Self.count(host)
        count += Self.count(path) + Self.count(parameters) + Self.count(osVersion) + Self.count(appVersion)
        count += Self.count(locale) + Self.count(country) + Self.count(referrerHost) + Self.count(address)
        count += Self.count(userAgent) + Self.count(traits) + Self.count(botClass) + Self.count(install)
        for item in query { count += MemoryLayout<QueryItem>.stride + item.name.utf8.count + item.value.utf8.count }
        return count
    }

    private static func count(_ text: String?) -> Int { text?.utf8.count ?? 0 }
}

/// An event and its place in the log.
package struct StoredEvent: Sendable, Hashable {
    /// 1, 2, 3 … over all tenants, in the order of commits.
    package let sequence: Int64
    package let event: Event

    package init(sequence: Int64, event: Event) {
        self.sequence = sequence
        self.event = event
    }
}
