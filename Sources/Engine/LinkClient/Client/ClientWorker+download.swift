import LinkRouting
import LinkTable

/// Downloads.
extension ClientWorker {
    /// The result of a refresh. It determines the time of the next one.
    enum Refresh: Sendable {
        case done
        /// Nothing could be done: there is no server, or another refresh is running.
        case skipped
        case failed(retryAfter: Int?)
    }

    /// Downloads the table if there is a newer one.
    func refresh() async -> Refresh {
        load()
        guard !isRefreshing, let server = setup.server, let transport = setup.transport else { return .skipped }
        isRefreshing = true
        defer { isRefreshing = false }
        let response: LinkResponse
        do {
            response = try await transport.send(setup.tableRequest(server, entityTag: shared.table?.entityTag))
        } catch let error as LinkResponseTooLarge {
            shared.set(.downloadedTable, (TableRejection.tooLarge(bytes: error.maximumBytes).code, "\(error)"))
            return .failed(retryAfter: nil)
        } catch {
            shared.set(
                .download,
                (nil, "The table cannot be downloaded: \(error.shortDescription). The client tries again.")
            )
            return .failed(retryAfter: nil)
        }
        switch response.status {
        case 200:
            shared.set(.download, nil)
            return install(response.body)
        case 304:
            shared.set(.download, nil)
            shared.set(.downloadedTable, nil)
            return .done
        default:
            let message = "The table cannot be downloaded: status \(response.status), \(response.problem)"
            shared.set(.download, (nil, message))
            return .failed(retryAfter: response.retryAfter)
        }
    }

    /// Puts a downloaded table into use, and stores it. If it is not accepted, the previous one stays.
    private func install(_ bytes: [UInt8]) -> Refresh {
        let current = shared.table
        guard
            let table = accept(
                bytes,
                .downloadedTable,
                .download,
                notOlderThan: current?.claims.version,
                at: environment.now()
            )
        else { return .failed(retryAfter: nil) }
        guard current.map(table.isNewer) ?? true else { return .done }
        shared.use(table)
        guard let path = path("table") else { return .done }
        do throws(DiskError) {
            try environment.disk.replace(path, with: bytes)
            shared.set(.storage, nil)
        } catch {
            shared.set(.storage, (nil, "The table is used, but not stored: \(error)"))
        }
        return .done
    }

    /// Downloads tables until the task is cancelled. The times vary, so that apps do not ask together.
    func keepCurrent() async {
        guard setup.server != nil, setup.transport != nil else { return }
        var backoff = Backoff()
        var delay = Duration.milliseconds(Int64(environment.fraction * 5_000))
        while await wait(delay) {
            switch await refresh() {
            case .done, .skipped:
                backoff.succeed()
                delay = setup.configuration.refreshInterval * (0.8 + 0.4 * environment.fraction)
            case .failed(let retryAfter):
                delay = backoff.fail(retryAfter: retryAfter, fraction: environment.fraction)
            }
        }
    }
}
