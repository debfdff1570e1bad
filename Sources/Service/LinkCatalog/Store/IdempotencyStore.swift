package import LinkRouting

/// The storage of responses to requests with an `Idempotency-Key`.
package protocol IdempotencyStore: Sendable {
    /// Looks up a request with an `Idempotency-Key` that was answered since `oldest`. A store that several nodes share
    /// also notes a new one as in progress, for at most ten minutes, until it is kept or released.
    func claim(_ request: IdempotentRequest, at now: Timestamp, since oldest: Timestamp) async throws -> KnownRequest
    /// Lets another node make the change, since this one has not made it.
    func release(_ request: IdempotentRequest) async throws
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
