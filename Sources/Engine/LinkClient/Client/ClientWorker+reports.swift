import LinkRouting

/// Reports of the app to the server.
extension ClientWorker {
    /// Adds a report to the outbox.
    func report(_ link: ResolvedLink, _ result: LinkResult) {
        guard let event = OutboxEvent.report(link, result, environment) else { return }
        var outbox = openOutbox()
        switch event {
        case .event(let event): _ = outbox.add(event)
        case .tooLarge: outbox.dropLarge()
        }
        keep(outbox)
        for waker in wakers.values { waker.yield() }
    }

    func openOutbox() -> OutboxStore {
        load()
        if let outbox { return outbox }
        return OutboxStore(path("outbox"), disk: environment.disk, newInstall: environment.randomID)
    }

    func keep(_ outbox: OutboxStore) {
        self.outbox = outbox
        let (waiting, lost) = (outbox.outbox.events.count, outbox.outbox.droppedCount)
        shared.change { state in
            state.waitingReports = waiting
            state.lostReports = lost
        }
        shared.set(.storage, outbox.problem.map { (nil, "Reports are kept in memory only: \($0)") })
    }

    /// The result of a delivery. It determines the time of the next one.
    enum Delivery: Sendable {
        case done
        case skipped
        case failed(retryAfter: Int?)
    }

    /// Delivers batches until the outbox is empty or one fails. Removes only events that the server has answered for.
    func deliver() async -> Delivery {
        guard !isDelivering, let server = setup.server, let transport = setup.transport else { return .skipped }
        isDelivering = true
        defer { isDelivering = false }
        while !Task.isCancelled {
            var outbox = openOutbox()
            outbox.dropOld(at: environment.now())
            keep(outbox)
            let batch = outbox.outbox.nextBatch
            guard !batch.isEmpty else { return .done }
            let response: LinkResponse
            do {
                response = try await transport.send(setup.eventRequest(server, batch, install: outbox.outbox.install))
            } catch {
                shared.set(
                    .delivery,
                    (nil, "Reports cannot be delivered: \(error.shortDescription). The client tries again.")
                )
                return .failed(retryAfter: nil)
            }
            guard take(response, for: batch) else { return .failed(retryAfter: response.retryAfter) }
        }
        return .skipped
    }

    /// Applies the response to a batch. Returns whether the delivery continues.
    private func take(_ response: LinkResponse, for batch: [OutboxEvent]) -> Bool {
        // Reports may have been added while the request was under way.
        var outbox = openOutbox()
        defer { keep(outbox) }
        switch response.status {
        case 200:
            let results = EventBatch.results(response.body) ?? []
            let sent = Set(batch.map(\.id))
            let answered = results.filter { sent.contains($0.id) }
            guard !answered.isEmpty else {
                shared.set(.delivery, (nil, "The server's answer to reports cannot be read."))
                return false
            }
            outbox.remove(answered)
            if let rejection = answered.lazy.compactMap(\.rejection).first {
                shared.set(.refusedReport, (nil, "The server refused a report: \(rejection)"))
            }
            shared.set(.delivery, nil)
            return true
        case 400, 413, 415, 422:
            if outbox.splitRefused(batch) != nil {
                shared.set(.refusedReport, (nil, "The server refused a report: \(response.problem)"))
            }
            return true
        default:
            let message = "Reports cannot be delivered: status \(response.status), \(response.problem)"
            shared.set(.delivery, (nil, message))
            return false
        }
    }

    /// Delivers reports until the task is cancelled: soon after each, and again after a failure.
    func keepDelivering() async {
        guard setup.server != nil, setup.transport != nil else { return }
        var backoff = Backoff()
        // Each call has a stream of its own, because a cancelled task ends the stream that it reads.
        let (reports, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakerCount += 1
        let number = wakerCount
        wakers[number] = waker
        defer { wakers[number] = nil }
        waker.yield()
        for await _ in reports {
            // Reports that follow shortly go into the same batch.
            guard await wait(.milliseconds(Int64(1_000 + environment.fraction * 2_000))) else { return }
            while case .failed(let retryAfter) = await deliver() {
                let delay = backoff.fail(retryAfter: retryAfter, fraction: environment.fraction)
                guard await wait(delay) else { return }
            }
            backoff.succeed()
        }
    }
}
