package import LinkRouting

/// Forwards the members of ``Event/Parts``, which documents them.
extension Event {
    package var id: String {
        get { parts[0].id }
        set { parts[0].id = newValue }
    }
    package var recordedAt: Timestamp {
        get { parts[0].recordedAt }
        set { parts[0].recordedAt = newValue }
    }
    package var occurredAt: Timestamp? {
        get { parts[0].occurredAt }
        set { parts[0].occurredAt = newValue }
    }
    package var purpose: Purpose {
        get { parts[0].purpose }
        set { parts[0].purpose = newValue }
    }
    package var kind: Kind {
        get { parts[0].kind }
        set { parts[0].kind = newValue }
    }
    package var parent: String? {
        get { parts[0].parent }
        set { parts[0].parent = newValue }
    }
    package var clientEventID: String? {
        get { parts[0].clientEventID }
        set { parts[0].clientEventID = newValue }
    }
    package var tenant: TenantID {
        get { parts[0].tenant }
        set { parts[0].tenant = newValue }
    }
    /// The environment that the event is counted under. Callers choose environment names, so only environments with a
    /// published revision, and production, have counters of their own; invented names add none. It depends only on
    /// recorded members, so that it is the same whenever the row is counted.
    package var countedEnvironment: EnvironmentID {
        environment == .production || revision != nil ? environment : .unpublished
    }

    package var environment: EnvironmentID {
        get { parts[0].environment }
        set { parts[0].environment = newValue }
    }
    package var app: AppID? {
        get { parts[0].app }
        set { parts[0].app = newValue }
    }
    package var route: RouteID? {
        get { parts[0].route }
        set { parts[0].route = newValue }
    }
    package var revision: Revision? {
        get { parts[0].revision }
        set { parts[0].revision = newValue }
    }
    package var settingsRevision: Int64? {
        get { parts[0].settingsRevision }
        set { parts[0].settingsRevision = newValue }
    }
    package var outcome: Outcome {
        get { parts[0].outcome }
        set { parts[0].outcome = newValue }
    }
    package var action: Action? {
        get { parts[0].action }
        set { parts[0].action = newValue }
    }
    package var reason: String? {
        get { parts[0].reason }
        set { parts[0].reason = newValue }
    }
    package var experiment: String? {
        get { parts[0].experiment }
        set { parts[0].experiment = newValue }
    }
    package var variant: String? {
        get { parts[0].variant }
        set { parts[0].variant = newValue }
    }
    package var scheme: String? {
        get { parts[0].scheme }
        set { parts[0].scheme = newValue }
    }
    package var host: String? {
        get { parts[0].host }
        set { parts[0].host = newValue }
    }
    package var path: String? {
        get { parts[0].path }
        set { parts[0].path = newValue }
    }
    package var linkLength: Int {
        get { parts[0].linkLength }
        set { parts[0].linkLength = newValue }
    }
    package var query: [QueryItem] {
        get { parts[0].query }
        set { parts[0].query = newValue }
    }
    package var parameters: String? {
        get { parts[0].parameters }
        set { parts[0].parameters = newValue }
    }
    package var platform: Platform? {
        get { parts[0].platform }
        set { parts[0].platform = newValue }
    }
    package var device: Device? {
        get { parts[0].device }
        set { parts[0].device = newValue }
    }
    package var osVersion: String? {
        get { parts[0].osVersion }
        set { parts[0].osVersion = newValue }
    }
    package var appVersion: String? {
        get { parts[0].appVersion }
        set { parts[0].appVersion = newValue }
    }
    package var appBuild: Int64? {
        get { parts[0].appBuild }
        set { parts[0].appBuild = newValue }
    }
    package var traits: String? {
        get { parts[0].traits }
        set { parts[0].traits = newValue }
    }
    package var locale: String? {
        get { parts[0].locale }
        set { parts[0].locale = newValue }
    }
    package var country: String? {
        get { parts[0].country }
        set { parts[0].country = newValue }
    }
    package var referrerHost: String? {
        get { parts[0].referrerHost }
        set { parts[0].referrerHost = newValue }
    }
    package var address: String? {
        get { parts[0].address }
        set { parts[0].address = newValue }
    }
    package var userAgent: String? {
        get { parts[0].userAgent }
        set { parts[0].userAgent = newValue }
    }
    package var botClass: String? {
        get { parts[0].botClass }
        set { parts[0].botClass = newValue }
    }
    package var install: String? {
        get { parts[0].install }
        set { parts[0].install = newValue }
    }
    package var source: String {
        get { parts[0].source }
        set { parts[0].source = newValue }
    }
    package var node: String {
        get { parts[0].node }
        set { parts[0].node = newValue }
    }
    package var requestID: String {
        get { parts[0].requestID }
        set { parts[0].requestID = newValue }
    }
    package var method: String {
        get { parts[0].method }
        set { parts[0].method = newValue }
    }
}
