package import LinkRouting

/// The events that the server has not answered for, in order. A pure value: ``OutboxStore`` keeps it on the disk.
package struct Outbox: Sendable, Hashable {
    package static let maximumEvents = 1_000
    package static let maximumBytes = 1 << 20
    package static let maximumBatchEvents = 100
    /// The limit is less than the 256 KiB that a server accepts, because a batch has members besides its events.
    package static let maximumBatchBytes = 240 << 10
    /// The server recognizes an event that it has stored already for 30 days. An older event could be stored twice.
    package static let maximumAge: Int64 = 29 * Timestamp.millisecondsPerDay

    /// Identifies this outbox. It is random, and constant as long as the file exists.
    package let install: String
    package private(set) var events: [OutboxEvent] = []
    package private(set) var byteCount = 0
    /// The events that were lost: the outbox was full, or they became too old.
    package private(set) var droppedCount = 0
    /// The largest batch that is sent. It is halved when the server refuses a batch as a whole.
    private var batchLimit = maximumBatchEvents

    package init(install: String) { self.install = install }

    package enum Addition: Sendable, Hashable { case added, full }

    /// Adds an event; a full outbox drops it. Dropping the oldest instead would need a new file for each event.
    package mutating func add(_ event: OutboxEvent) -> Addition {
        guard events.count < Self.maximumEvents, byteCount + event.json.count <= Self.maximumBytes else {
            droppedCount += 1
            return .full
        }
        events.append(event)
        byteCount += event.json.count
        return .added
    }

    /// Counts an event that was too large to be added.
    package mutating func dropLarge() { droppedCount += 1 }

    /// Removes the events that are too old to be sent. Returns whether there were any.
    package mutating func dropOld(at now: Timestamp) -> Bool {
        let old = events.filter { now.milliseconds - $0.occurredAt.milliseconds >= Self.maximumAge }
        guard !old.isEmpty else { return false }
        droppedCount += old.count
        remove(Set(old.map(\.id)))
        return true
    }

    /// The oldest events that fit into a batch and come from the same version of the engine.
    package var nextBatch: [OutboxEvent] {
        guard let first = events.first else { return [] }
        var bytes = 0
        return Array(
            events.prefix(batchLimit).prefix { event in
                bytes += event.json.count + 1
                return event.engineVersion == first.engineVersion && (bytes <= Self.maximumBatchBytes || event == first)
            }
        )
    }

    /// Removes the events that the server has answered for, and counts those that it refused.
    package mutating func remove(_ answers: [EventBatch.Result]) {
        droppedCount += answers.count { $0.rejection != nil }
        remove(Set(answers.map(\.id)))
    }

    private mutating func remove(_ ids: Set<String>) {
        events.removeAll { ids.contains($0.id) }
        byteCount = events.reduce(0) { $0 + $1.json.count }
        batchLimit = Self.maximumBatchEvents
    }

    /// Continues after the server has refused a batch as a whole: with half of it, and finally without the one event
    /// that the server refuses on its own. Returns the id of the event that was removed.
    package mutating func splitRefused(_ batch: [OutboxEvent]) -> String? {
        guard batch.count <= 1 else {
            batchLimit = batch.count / 2
            return nil
        }
        guard let event = batch.first else { return nil }
        droppedCount += 1
        remove([event.id])
        return event.id
    }
}
