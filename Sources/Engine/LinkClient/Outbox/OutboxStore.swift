package import LinkRouting

/// Keeps the outbox on the disk. If the disk fails, the events stay in memory, and the file is replaced at the next
/// opportunity.
package struct OutboxStore: Sendable {
    package private(set) var outbox: Outbox
    private let disk: any ClientDisk
    /// Nil to keep the events in memory only.
    private let path: String?
    /// Whether the file differs from ``outbox`` in more than missing events at the end.
    private var needsReplacement: Bool
    /// The last failure of the disk; nil after a success.
    package private(set) var problem: DiskError?

    /// Reads the file. Without a readable one, the outbox is empty and gets the install.
    package init(_ path: String?, disk: any ClientDisk, newInstall: String) {
        self.path = path
        self.disk = disk
        outbox = Outbox(install: newInstall)
        needsReplacement = true
        guard let path else { return }
        do throws(DiskError) {
            guard let bytes = try disk.read(path, upTo: Outbox.maximumFileBytes) else { return }
            guard let reading = Outbox.read(bytes) else {
                problem = DiskError("read", path, "its first line is damaged, so its events are lost")
                return
            }
            outbox = reading.outbox
            needsReplacement = reading.isDamaged || bytes.count > Outbox.maximumFileBytes
        } catch {
            problem = error
        }
    }

    /// Adds an event. It is on the disk when this returns, unless the disk failed.
    package mutating func add(_ event: OutboxEvent) -> Outbox.Addition {
        guard outbox.add(event) == .added else { return .full }
        guard let path else { return .added }
        guard !needsReplacement else {
            save()
            return .added
        }
        do throws(DiskError) {
            try disk.append(event.line, to: path)
            problem = nil
        } catch {
            // Part of the line may be in the file.
            needsReplacement = true
            problem = error
        }
        return .added
    }

    package mutating func dropLarge() { outbox.dropLarge() }

    package mutating func dropOld(at now: Timestamp) {
        if outbox.dropOld(at: now) { save() }
    }

    /// Removes the events that the server has answered for.
    package mutating func remove(_ answers: [EventBatch.Result]) {
        outbox.remove(answers)
        save()
    }

    /// See ``Outbox/splitRefused(_:)``.
    package mutating func splitRefused(_ batch: [OutboxEvent]) -> String? {
        let removed = outbox.splitRefused(batch)
        if removed != nil { save() }
        return removed
    }

    /// Replaces the file.
    package mutating func save() {
        guard let path else { return }
        do throws(DiskError) {
            try disk.replace(path, with: outbox.file)
            needsReplacement = false
            problem = nil
        } catch {
            needsReplacement = true
            problem = error
        }
    }
}
