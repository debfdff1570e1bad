package import LinkRouting

/// The storage of responses to requests with an `Idempotency-Key`.
package protocol IdempotencyStore: Sendable {
    /// Looks up a request with an `Idempotency-Key` that was answered since `oldest`. Read-only.
    func known(_ request: IdempotentRequest, since oldest: Timestamp) async throws -> KnownRequest
    /// Stores the answer to a completed change. Evicts answers older than `oldest`, and the oldest answers of the actor
    /// and of the tenant where they exceed their quota.
    func keep(
        _ answer: StoredResponse,
        to request: IdempotentRequest,
        of tenant: TenantID?,
        at now: Timestamp,
        since oldest: Timestamp
    ) async throws
}
