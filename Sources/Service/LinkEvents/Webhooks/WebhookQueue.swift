package import LinkRouting

/// Stores the webhook deliveries that wait for their receiver, beside the log.
package protocol WebhookQueue: Sendable {
    /// Stores a held delivery until it is completed. If its id is already stored and held, it replaces that one; a released one
    /// stays.
    func add(_ delivery: WebhookDelivery) async throws
    /// Returns held deliveries, at most `limit`.
    func heldDeliveries(limit: Int) async throws -> [WebhookDelivery]
    /// Makes a held delivery due at `now`. Does nothing if it is not held.
    func release(_ id: String, at now: Timestamp) async throws
    /// Returns deliveries that are due, the earliest first, at most `limit`.
    func deliveries(dueAt now: Timestamp, limit: Int) async throws -> [WebhookDelivery]
    /// Returns when the earliest delivery that is not held is due; nil if there is none.
    func nextDelivery() async throws -> Timestamp?
    /// Counts an attempt and sets the time of the next one.
    func postpone(_ delivery: WebhookDelivery, to instant: Timestamp) async throws
    /// Removes a delivery that succeeded or was given up.
    func complete(_ delivery: WebhookDelivery) async throws
}
