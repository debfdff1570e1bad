import LinkRouting
import LinkTable

/// Does all the work of a client that reads or writes: files, downloads, deliveries.
actor ClientWorker {
    let setup: ClientSetup
    let environment: ClientEnvironment
    let shared: SharedState
    private var isLoaded = false
    var outbox: OutboxStore?
    var isRefreshing = false
    var isDelivering = false
    /// The streams that wake ``keepDelivering()`` when there is a new report.
    var wakers: [Int: AsyncStream<Void>.Continuation] = [:]
    var wakerCount = 0

    init(_ setup: ClientSetup, _ environment: ClientEnvironment, _ shared: SharedState) {
        self.setup = setup
        self.environment = environment
        self.shared = shared
    }

    // MARK: Files

    /// The path of a file of this tenant, environment and app.
    func path(_ ending: String) -> String? {
        setup.configuration.directory.map { directory in
            "\(directory)/\(setup.scope.tenant).\(setup.scope.environment).\(setup.scope.app).\(ending)"
        }
    }

    /// Loads the newest of the bundled table and the one on the disk.
    func load() {
        guard !isLoaded else { return }
        isLoaded = true
        if let directory = setup.configuration.directory {
            do throws(DiskError) {
                try environment.disk.createDirectory(directory)
            } catch {
                shared.set(.storage, (nil, "\(error)"))
            }
        }
        let bundled = read(.bundledTable, origin: .bundle) { () throws(DiskError) in try bundledTable() }
        let stored = read(.storedTable, origin: .disk) { () throws(DiskError) in try storedTable() }
        guard let table = [bundled, stored].compactMap(\.self).max(by: { $1.isNewer(than: $0) }) else { return }
        shared.use(table)
    }

    private func bundledTable() throws(DiskError) -> [UInt8]? {
        switch setup.configuration.bundledTable {
        case .none: return nil
        case .bytes(let bytes): return bytes
        case .file(let path):
            guard let bytes = try environment.disk.read(path, upTo: SignedTable.maximumBytes) else {
                throw DiskError("read", path, "there is no such file. Add the bundled table to the app's resources.")
            }
            return bytes
        }
    }

    private func storedTable() throws(DiskError) -> [UInt8]? {
        guard let path = path("table") else { return nil }
        return try environment.disk.read(path, upTo: SignedTable.maximumBytes)
    }

    /// Reads and verifies a table, regardless of the clock. Reports why it is not usable.
    private func read(
        _ kind: LinkClientState.Kind,
        origin: LinkClientState.Origin,
        _ bytes: () throws(DiskError) -> [UInt8]?
    ) -> ActiveTable? {
        do throws(DiskError) {
            guard let bytes = try bytes() else { return nil }
            return accept(bytes, kind, origin)
        } catch {
            shared.set(kind, (nil, "\(error)"))
            return nil
        }
    }

    /// Verifies and compiles a table. Reports why it is not accepted.
    ///
    /// - Parameters:
    ///   - version: The version in use, for a download.
    ///   - now: The time, for a download.
    func accept(
        _ bytes: [UInt8],
        _ kind: LinkClientState.Kind,
        _ origin: LinkClientState.Origin,
        notOlderThan version: AppTableVersion? = nil,
        at now: Timestamp? = nil
    ) -> ActiveTable? {
        do throws(TableRejection) {
            let table = try SignedTable.verify(
                bytes,
                keys: setup.keys,
                expecting: setup.scope,
                notOlderThan: version,
                at: now,
                // The server checks a table before it signs it, and an app checks a download before it stores it.
                checking: origin == .download ? .everyRoute : .noRoute
            )
            shared.set(kind, nil)
            return ActiveTable(
                table,
                signed: bytes,
                origin: origin,
                serverFacts: setup.serverFacts
            )
        } catch {
            shared.set(kind, (error.code, error.description))
            return nil
        }
    }

    // MARK: Time

    /// Waits. Returns false when the task is cancelled.
    func wait(_ delay: Duration) async -> Bool {
        do {
            try await environment.sleep(max(delay, .zero))
            return !Task.isCancelled
        } catch {
            return false
        }
    }
}
