#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A request with an idempotency key, which may be repeated.
package struct IdempotentRequest: Sendable, Hashable {
    /// The id of the key that sent it.
    package let actor: String
    /// The `Idempotency-Key`.
    package let key: String
    /// SHA-256 of the method, target and body.
    package let hash: Data

    package init(actor: String, key: String, hash: Data) {
        self.actor = actor
        self.key = key
        self.hash = hash
    }
}

/// A stored response to a request with an idempotency key.
package struct StoredResponse: Sendable, Hashable {
    package let status: Int
    package let headers: [String: String]
    package let body: Data

    package init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The result of looking up an idempotency key.
package enum KnownRequest: Sendable, Hashable {
    case new
    /// Another node makes the change now.
    case working
    case answered(StoredResponse)
    /// The idempotency key was used with another request.
    case other
}
