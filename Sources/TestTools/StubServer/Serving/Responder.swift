import LinkRouting
import StubMatching

/// Answers requests from the stubs of their session.
struct Responder: Sendable {
    let configuration: StubConfiguration
    let folder: StubFolder?
    let proxy: StubProxy

    private var environment: StubEnvironment { configuration.environment }

    /// The maximum size in bytes of a body that is compared on the event loop.
    private static let largestQuickBody = 64 << 10
    /// The maximum number of stubs that are compared on the event loop.
    private static let quickStubCount = 1_000

    func handle(_ request: StubRequest, in session: StubSession) -> Handling {
        guard request.body.count <= Self.largestQuickBody, session.rules.stubs.entries.count <= Self.quickStubCount
        else {
            return .asynchronous { await onThread(request, session) }
        }
        return match(request, session)
    }

    /// Matches on a thread that may block, and then produces the stub's answer.
    private func onThread(_ request: StubRequest, _ session: StubSession) async -> StubAnswer {
        await offEventLoop { match(request, session) }.answer()
    }

    private func match(_ request: StubRequest, _ session: StubSession) -> Handling {
        do {
            let endpoints = session.endpoints.flatMap { $0.takes(request) ? $0 : nil }
            let (stub, rules) = try session.take(request, isForEndpoint: endpoints != nil)
            guard let stub else {
                guard let endpoints else { return unmatched(request, session, rules) }
                return .asynchronous { await answer(request, from: endpoints, in: session) }
            }
            guard stub.response.proxy == nil else {
                return .asynchronous { await proxied(request, stub, session, rules) }
            }
            let readsFile = if case .file = stub.response.body { true } else { false }
            guard !readsFile, stub.response.templates == nil else {
                return .blocking { answer(request, stub, session, rules) }
            }
            return .answer(answer(request, stub, session, rules))
        } catch {
            return .answer(tooManySteps(error))
        }
    }

    /// A pattern that takes too many steps is reported, because a plain 404 would hide the reason.
    private func tooManySteps(_ error: any Error) -> StubAnswer {
        .text(500, "A stub's pattern could not be compared with this request: \(error)\n")
    }

    // MARK: Matched

    private func answer(
        _ request: StubRequest,
        _ stub: StubMapping,
        _ session: StubSession,
        _ rules: StubSession.Rules
    ) -> StubAnswer {
        var answer: StubAnswer
        do {
            var rendering = ResponseRendering(request: request, stub: stub, folder: folder, environment: environment)
            answer = try rendering.answer()
        } catch {
            answer = .text(500, "The answer of stub \(stub.id) could not be made: \(error)\n")
        }
        addStubHeaders(stub, to: &answer)
        answer.delayMilliseconds = delay(stub.response, rules.settings)
        answer.dribble = stub.response.dribble
        answer.fault = stub.response.fault
        log(request, stub, answer, session, isProxied: false)
        return answer
    }

    private func addStubHeaders(_ stub: StubMapping, to answer: inout StubAnswer) {
        answer.headers.append(HeaderField("Matched-Stub-Id", stub.id))
        if let name = stub.name { answer.headers.append(HeaderField("Matched-Stub-Name", Self.headerText(name))) }
    }

    /// Replaces control characters by spaces: a stub's name may contain any text, but a header has one line.
    private static func headerText(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    /// Returns the delay in milliseconds. A stub's fixed delay replaces that of the server. A random delay is added to
    /// it.
    private func delay(_ response: ResponseDefinition, _ settings: StubSettings) -> Int {
        let fixed = response.delayMilliseconds ?? settings.fixedDelay ?? 0
        guard let distribution = response.delayDistribution ?? settings.delay else { return fixed }
        var generator = environment.generator
        return min(fixed + distribution.milliseconds(&generator), ResponseDefinition.longestDelay)
    }

    private func log(
        _ request: StubRequest,
        _ stub: StubMapping,
        _ answer: StubAnswer,
        _ session: StubSession,
        isProxied: Bool
    ) {
        let headers = answer.headers
        session.log(
            ServeEvent(
                request: request,
                stub: stub,
                definition: stub.response.json,
                response: ServeEvent.LoggedResponse(
                    status: answer.status,
                    headers: headers,
                    body: answer.fault == nil ? answer.body : [],
                    fault: answer.fault?.rawValue,
                    isProxied: isProxied
                ),
                timing: timing(request, answer),
                placeholderID: ""
            )
        )
    }

    func timing(_ request: StubRequest, _ answer: StubAnswer) -> ServeEvent.Timing {
        let passed = environment.now().milliseconds - request.receivedAt.milliseconds
        return ServeEvent.Timing(addedDelay: answer.delayMilliseconds, processing: Int(max(0, passed)))
    }

    // MARK: Proxied

    private func proxied(
        _ request: StubRequest,
        _ stub: StubMapping,
        _ session: StubSession,
        _ rules: StubSession.Rules
    ) async -> StubAnswer {
        guard let target = stub.response.proxy, rules.settings.proxiesPassThrough != false else {
            return await unmatched(request, session, rules).answer()
        }
        var answer: StubAnswer
        var isProxied = true
        do {
            var rendering = ResponseRendering(request: request, stub: stub, folder: folder, environment: environment)
            let target = try rendering.filled(target)
            answer = try await proxy.send(request, to: target.baseURL, target)
            for header in try rendering.headers() {
                answer.headers.removeAll { $0.has(name: header.name) }
                answer.headers.append(header)
            }
        } catch {
            isProxied = false
            answer = .text(500, "The proxy of stub \(stub.id) failed: \(error)\n")
            if let failure = error as? StubProxy.Failure, failure.isLoop {
                answer.headers.append(HeaderField(ServeEvent.LoggedResponse.proxyLoopHeader, "true"))
            }
        }
        answer.delayMilliseconds = delay(stub.response, rules.settings)
        log(request, stub, answer, session, isProxied: isProxied)
        return answer
    }

    // MARK: Unmatched

    private func unmatched(_ request: StubRequest, _ session: StubSession, _ rules: StubSession.Rules) -> Handling {
        .blocking {
            if let file = staticFile(request) { return file }
            return unmatchedAnswer(request, session, rules)
        }
    }

    /// A file of `__files` with the path of the request, as WireMock serves it.
    private func staticFile(_ request: StubRequest) -> StubAnswer? {
        guard let folder, request.method == "GET" || request.method == "HEAD" else { return nil }
        let name = formDecodedPath(request.path.dropFirst())
        guard let bytes = folder.content(of: name) else { return nil }
        return StubAnswer(status: 200, headers: [HeaderField("Content-Type", contentType(of: name))], body: bytes)
    }

    private func unmatchedAnswer(
        _ request: StubRequest,
        _ session: StubSession,
        _ rules: StubSession.Rules
    ) -> StubAnswer {
        let isStrict = rules.unmatched == .strict
        var nearest: NearMiss?
        var text: String?
        do {
            nearest = try NearMiss.nearest(to: request, among: rules.stubs.entries.lazy.map(\.stub)) {
                rules.scenarios.state(of: $0)
            }.first
            text = try nearest?.text()
        } catch {
            text = "No stub matches this request. The closest stub is not known: \(error)\n"
        }
        // A link of an app, for a server that was started without its tenant file.
        let hint =
            request.method == "POST" && request.path == "/resolve" && session.endpoints == nil
            ? "\nThis server has no tenant file; start it with --tenant FILE to resolve links.\n" : ""
        var answer = StubAnswer.text(
            404,
            (text ?? "No response could be served as there are no stub mappings in this WireMock instance.") + hint
        )
        let difference = (try? nearest?.firstDifference()) ?? nil
        if isStrict, let nearest {
            answer.headers.append(
                HeaderField("Fingerpost-Nearest-Stub", Self.headerText(nearest.stub.name ?? nearest.stub.id))
            )
            answer.headers.append(HeaderField("Fingerpost-First-Difference", Self.headerText(difference ?? "none")))
        }
        logUnmatched(request, answer, session, nearest, isStrict ? difference : nil)
        session.logUnmatched(
            StubSession.Failure(
                method: request.method,
                target: String(request.target.prefix(1_000)),
                receivedAt: request.receivedAt,
                nearestStub: nearest.map { $0.stub.name ?? $0.stub.id },
                firstDifference: difference
            )
        )
        return answer
    }

    private func logUnmatched(
        _ request: StubRequest,
        _ answer: StubAnswer,
        _ session: StubSession,
        _ nearest: NearMiss?,
        _ difference: String?
    ) {
        session.log(
            ServeEvent(
                request: request,
                stub: nil,
                definition: .object(["fromConfiguredStub": .bool(false), "status": .int(404)]),
                response: ServeEvent.LoggedResponse(status: 404, headers: [], body: []),
                timing: timing(request, answer),
                firstDifference: difference,
                placeholderID: environment.newID()
            )
        )
    }
}

extension DelayDistribution {
    func milliseconds(_ generator: inout WordGenerator) -> Int {
        switch kind {
        case .fixed(let milliseconds): milliseconds
        case .uniform(let lower, let upper): Int.random(in: lower...upper, using: &generator)
        case .lognormal(let median, let sigma, let maximum): generator.lognormal(median, sigma, maximum)
        }
    }
}
