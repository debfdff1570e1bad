package import LinkEvents
package import LinkRouting

/// The log of the service, by use. Each consumer gets only the part that it needs.
package struct ServiceLog: Sendable {
    package var events: any EventStore
    package var history: any EventHistory
    package var analytics: any EventAnalytics
    package var days: any EventDays
    package var exports: any ExportLedger
    /// Nil if no webhook is configured.
    package var webhooks: (any WebhookQueue)?
    /// Drops expired rows of the copies of all nodes' logs; nil for a single node.
    package var dropCopies: (@Sendable ([TenantID: RetentionRule], CivilDay) async throws -> Void)?

    package init(
        events: any EventStore,
        history: any EventHistory,
        analytics: any EventAnalytics,
        days: any EventDays,
        exports: any ExportLedger,
        webhooks: (any WebhookQueue)?,
        dropCopies: (@Sendable ([TenantID: RetentionRule], CivilDay) async throws -> Void)? = nil
    ) {
        self.events = events
        self.history = history
        self.analytics = analytics
        self.days = days
        self.exports = exports
        self.webhooks = webhooks
        self.dropCopies = dropCopies
    }
}
