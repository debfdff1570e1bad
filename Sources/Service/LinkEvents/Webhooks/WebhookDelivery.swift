package import LinkRouting

/// A notification that an export is ready or has a new version. It is stored beside the log until it is delivered.
package struct WebhookDelivery: Sendable, Hashable {
    /// The idempotency key: the same for one version of one export, over all attempts and crashes, so that a receiver
    /// can detect duplicates.
    package let id: String
    package let tenant: TenantID
    /// JSON text; the same bytes in every attempt.
    package let payload: String
    package let createdAt: Timestamp
    /// The number of failed attempts.
    package let attempts: Int
    package let dueAt: Timestamp

    package init(
        id: String,
        tenant: TenantID,
        payload: String,
        createdAt: Timestamp,
        attempts: Int,
        dueAt: Timestamp
    ) {
        self.id = id
        self.tenant = tenant
        self.payload = payload
        self.createdAt = createdAt
        self.attempts = attempts
        self.dueAt = dueAt
    }

    /// The due time of a held delivery, whose manifest may not be in the sink yet.
    package static let held = Timestamp(milliseconds: .max)
}
