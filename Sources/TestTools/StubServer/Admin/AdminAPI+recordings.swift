import LinkRouting
import StubMatching

/// `/__admin/recordings`
extension AdminAPI {
    func recordings(_ call: AdminRequest) throws -> StubAnswer {
        switch (call.method, call.path.dropFirst().first) {
        case ("GET", "status"):
            let status = call.session.withState { $0.recording.status }
            return .json(.object(["status": .string(status.rawValue)]))
        case ("POST", "start"):
            let specification = try RecordingSpecification(try call.document())
            guard let target = specification.target, !target.isEmpty else {
                throw AdminFailure(422, "targetBaseUrl is required", pointer: "/targetBaseUrl")
            }
            try startRecording(specification, to: target, of: call.session)
            return .emptyObject
        case ("POST", "stop"):
            guard let recording = try stopRecording(of: call.session) else {
                throw AdminFailure(400, code: MappingError.notRecording, "Not currently recording.")
            }
            return .json(recording)
        case ("POST", "snapshot"):
            let specification = try RecordingSpecification(try call.optionalDocument())
            let events = call.session.withState { Array($0.journal.oldestFirst) }
            return .json(try keep(events, specification, call.session))
        default: throw AdminFailure.notFound
        }
    }

    /// Forwards requests of the session to the target until the recording stops.
    ///
    /// - Parameter priority: The priority of the proxy stub. A number above that of all stubs records only the requests
    ///   that no other stub answers.
    func startRecording(
        _ specification: RecordingSpecification,
        to target: String,
        of session: StubSession,
        priority: Int? = nil
    ) throws {
        // A target that does not compress its answers uses no encoding that a recording cannot read.
        let response = JSONNode.object([
            "proxyBaseUrl": .string(target), "removeProxyRequestHeaders": .array([.string("Accept-Encoding")]),
        ])
        let proxy = JSONNode.object(["priority": priority.map { .int($0) }, "response": response])
        let stub = try StubMapping(MappingField(proxy), templating: .off, newID: environment.newID)
        _ = try stopRecording(of: session)
        session.withState { state in
            state.rules.stubs.add(stub)
            state.recording = RecordingState(
                status: .recording,
                firstEvent: state.journal.appendedCount,
                specification: specification,
                proxyStub: stub.id
            )
        }
    }

    /// Ends the recording and adds its stubs. Returns them as JSON; nil when nothing was recorded.
    func stopRecording(of session: StubSession) throws -> JSONNode? {
        let stopped = session.withState { state -> (RecordingSpecification, [ServeEvent])? in
            guard state.recording.status == .recording, let specification = state.recording.specification else {
                return nil
            }
            if let proxyStub = state.recording.proxyStub {
                state.rules.stubs.remove { $0.stub.id == proxyStub }
                state.stubsChanged()
            }
            let count = state.journal.appendedCount - (state.recording.firstEvent ?? 0)
            state.recording = RecordingState(status: .stopped)
            return (specification, Array(state.journal.oldestFirst.suffix(max(0, count))))
        }
        guard let (specification, events) = stopped else { return nil }
        return try keep(events, specification, session)
    }

    /// Makes stubs from events, adds them, and writes their files if the specification requests it.
    private func keep(
        _ events: [ServeEvent],
        _ specification: RecordingSpecification,
        _ session: StubSession
    ) throws -> JSONNode {
        let recording = try Recording(events, specification, mask: mask, decoded: BodyCoding.decoded)
        if specification.isPersistent, !recording.stubs.isEmpty, folder == nil {
            throw AdminFailure(
                409,
                "the server has no folder for recordings; start it with one, or record with \"persist\": false"
            )
        }
        for (index, recorded) in recording.stubs.enumerated() {
            if let body = recorded.body { _ = try folder?.write(body.bytes, toBodyFile: body.file) }
            let stub = try StubMapping(
                MappingField(recorded.json),
                templating: configuration.templating,
                newID: environment.newID
            )
            removeMappings(session) { $0.stub.id == stub.id }
            try add(stub, session, recordedAt: index)
        }
        let list: [JSONNode] =
            specification.output == .full
            ? recording.stubs.map(\.json) : recording.stubs.compactMap { $0.json["id"] }
        return .object([
            specification.output == .full ? "mappings" : "ids": .array(list),
            "omitted": recording.omitted.isEmpty ? nil : .array(recording.omitted.map(\.json)),
        ])
    }
}
