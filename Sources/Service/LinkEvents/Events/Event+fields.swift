package import LinkRouting

extension Event {
    /// The recorded facts of a resolution. Each has a line in ``visit(_:)``, which says how it is stored and exported.
    package struct Fields: Sendable, Hashable {
        /// A UUIDv7.
        package var id: RecordedID
        /// The server's clock.
        package var recordedAt: Timestamp
        /// The caller's clock.
        package var occurredAt: Timestamp?
        package var purpose = Purpose.live
        package var kind = Kind.resolve
        /// The id of the event that caused this one.
        package var parent: RecordedID?
        /// The caller's own id for finding the event again.
        package var clientEventID: RecordedID?

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
        /// Nil unless the tenant's settings record installs.
        package var install: InstallID?

        /// The entry point of the link: `api`, `click`, `qr` for a click on a scanned code, or `app` for a decision that an
        /// app reported.
        package var source: String
        package var node: String
        package var requestID: RecordedID
        package var method: String
        /// The time from the request's arrival to the recorder, without the commit. Shared by the links of a batch.
        package var latencyMicroseconds: Int64?

        /// The result in the app. This property and the next two are set for the source `app` only.
        package var result: AppResult?
        package var engineVersion: String?
        package var agreement: Agreement?
        /// The settings that changed the link before it was compared with routes, such as `repair`.
        package var reading: String?
        /// The short link that led to the link of this event.
        package var shortLink: ShortLinkName?

        package init(
            id: RecordedID,
            recordedAt: Timestamp,
            tenant: TenantID,
            environment: EnvironmentID,
            outcome: Outcome,
            linkLength: Int,
            source: String,
            node: String,
            requestID: RecordedID,
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

        /// The environment that the event is counted under. Callers choose environment names, so only environments with
        /// a published revision, and production, have counters of their own; invented names add none. It depends only
        /// on recorded members, so that it is the same whenever the row is counted.
        package var countedEnvironment: EnvironmentID {
            environment == .production || revision != nil ? environment : .unpublished
        }

        /// Returns the value of the first recorded query item with that name; nil if there is none or it is empty.
        func utm(_ field: UTM) -> String? {
            let name = field.rawValue
            guard let item = query.first(where: { $0.name == name }), !item.value.isEmpty else { return nil }
            return item.value
        }
    }
}
