import Crypto
import FoundationEssentials
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import Logging
import NIOCore
import Synchronization

/// Thrown to answer a repeated request with its first response.
struct ReplayedResponse: Error {
    let answer: StoredResponse
}

/// A request with an `Idempotency-Key`. The middleware creates it, and the endpoint begins it when nothing can refuse
/// the request any more.
final class RepeatableChange: Sendable {
    private let name: String
    private let answers: IdempotencyResponses
    private let state = Mutex(State())

    /// A change that its endpoint has begun.
    struct Begun {
        let request: IdempotentRequest
        let tenant: TenantID?
        /// The member of the response that is not stored.
        let secret: String?
    }

    private struct State {
        var hash = SHA256()
        var begun: Begun?
        var isMade = false
    }

    init(_ name: String, _ request: Request, _ answers: IdempotencyResponses) {
        self.name = name
        self.answers = answers
        for part in [
            request.method.rawValue, "\(request.uri)", request.headers[.ifMatch] ?? "",
            request.headers[.contentType] ?? "",
        ] {
            state.withLock { $0.hash.update(data: Data("\(part.utf8.count):\(part)".utf8)) }
        }
    }

    /// Adds a part of the body to the hash and returns it unchanged.
    func hash(_ part: ByteBuffer) -> ByteBuffer {
        state.withLock { state in
            part.withUnsafeReadableBytes { state.hash.update(bufferPointer: $0) }
        }
        return part
    }

    var begun: Begun? { state.withLock(\.begun) }

    /// Whether the change was made, and its response was kept.
    var isMade: Bool {
        get { state.withLock(\.isMade) }
        set { state.withLock { $0.isMade = newValue } }
    }

    func begin(_ grant: KeyGrant, of tenant: TenantID?, secret: String?) async throws {
        guard (1...255).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(
                .invalidRequest,
                "An Idempotency-Key must have 1 to 255 visible ASCII characters, such as a UUID."
            )
        }
        let repeated = state.withLock { state in
            IdempotentRequest(
                actor: grant.id.rawValue,
                // Not that of one operation: after a DELETE with the same key, a PUT would be answered, but not made.
                key: name,
                hash: Data(state.hash.finalize())
            )
        }
        try await answers.begin(repeated)
        state.withLock { $0.begun = Begun(request: repeated, tenant: tenant, secret: secret) }
    }
}

/// The responses to changes with an `Idempotency-Key`, and the changes in progress.
final class IdempotencyResponses: Sendable {
    static let maximumBytes = 4 << 20
    private static let lifetime = Int64(86_400_000)
    /// Maximum number of responses held in memory because the store could not take them, and maximum size of each body.
    private static let maximumUnstored = 256
    private static let maximumUnstoredBytes = 64 << 10

    private let store: any IdempotencyStore
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let state = Mutex(State())

    private struct Key: Hashable {
        let actor: String
        let key: String

        init(_ request: IdempotentRequest) { (actor, key) = (request.actor, request.key) }
    }

    private struct State {
        var working: Set<Key> = []
        var unstored: [Key: (request: IdempotentRequest, answer: StoredResponse)] = [:]
    }

    init(store: any IdempotencyStore, now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.store = store
        self.now = now
        self.logger = logger
    }

    private var oldest: Timestamp { Timestamp(milliseconds: now().milliseconds - Self.lifetime) }

    /// Marks a new request as in progress. Throws the first response to a repeated request, or the problem that
    /// prevents it.
    func begin(_ request: IdempotentRequest) async throws {
        let key = Key(request)
        let held: KnownRequest? = try state.withLock { state in
            if let known = state.unstored[key] {
                return known.request.hash == request.hash ? .answered(known.answer) : .other
            }
            guard state.working.insert(key).inserted else { throw Self.unfinished }
            return nil
        }
        do {
            switch try await known(held, request) {
            case .new: return
            case .working: throw Self.unfinished
            case .answered(let answer): throw ReplayedResponse(answer: answer)
            case .other:
                throw Problem(
                    .idempotencyMismatch,
                    "This Idempotency-Key was used for a different request; use a new one."
                )
            }
        } catch {
            if held == nil { state.withLock { _ = $0.working.remove(key) } }
            throw error
        }
    }

    private static var unfinished: Problem {
        Problem(
            .idempotencyUnfinished,
            "The first request with this Idempotency-Key is still in progress; try again."
        )
    }

    private func known(_ held: KnownRequest?, _ request: IdempotentRequest) async throws -> KnownRequest {
        guard let held else { return try await store.claim(request, at: now(), since: oldest) }
        return held
    }

    /// Stores the response. The change was already made, so an error here must not fail the request.
    func keep(_ answer: StoredResponse?, to change: RepeatableChange) async {
        guard let begun = change.begun, let answer else { return }
        let request = begun.request
        change.isMade = true
        do {
            try await store.keep(answer, to: request, of: begun.tenant, at: now(), since: oldest)
        } catch {
            logger.error(
                "a response could not be stored for retries of its request; it is kept in memory",
                metadata: ["error": "\(error)"]
            )
            guard answer.body.count <= Self.maximumUnstoredBytes else { return }
            state.withLock { state in
                if state.unstored.count >= Self.maximumUnstored, let any = state.unstored.keys.first {
                    state.unstored[any] = nil
                }
                state.unstored[Key(request)] = (request, answer)
            }
        }
    }

    /// Called when the request is answered or has failed.
    func end(_ change: RepeatableChange) async {
        guard let request = change.begun?.request else { return }
        // If the store cannot be told, the claim ends by itself.
        if !change.isMade { try? await store.release(request) }
        state.withLock { _ = $0.working.remove(Key(request)) }
    }
}
