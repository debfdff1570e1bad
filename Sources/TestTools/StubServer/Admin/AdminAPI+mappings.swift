import LinkRouting
import StubMatching

/// `/__admin/mappings`
extension AdminAPI {
    func mappings(_ call: AdminRequest) throws -> StubAnswer {
        switch (call.method, call.path.count) {
        case ("GET", 1): return try listMappings(call)
        case ("POST", 1): return try addMapping(call)
        case ("DELETE", 1):
            // As in WireMock, only this call removes the files of stubs that are not persistent, too.
            removeFiles(of: removeStubs(call.session) { _ in true }, call.session)
            return .emptyObject
        case ("POST", 2): return try postMappings(call.path[1], call)
        case ("DELETE", 2) where call.path[1] == "reset": throw AdminFailure.notFound
        case (let method, 2): return try oneMapping(method, try Self.id(call.path[1]), call)
        default: throw AdminFailure.notFound
        }
    }

    /// Returns the UUID in lower case. Throws for a text that is not a UUID.
    static func id(_ text: String) throws -> String {
        guard isUUID(text) else {
            throw AdminFailure(
                status: 400,
                error: MappingError(title: "\(text) is not a UUID", pointer: "/id", detail: nil)
            )
        }
        return text.lowercased()
    }

    private func postMappings(_ name: String, _ call: AdminRequest) throws -> StubAnswer {
        switch name {
        case "reset":
            try resetMappings(call.session)
            return .empty(200)
        case "save":
            try saveMappings(call.session)
            return .empty(200)
        case "import": return try importMappings(call)
        case "find-by-metadata":
            let matcher = try ValueMatcher(try call.document())
            let found = try call.session.rules.stubs.entries.filter { try hasMetadata($0.stub, matcher, call) }
            return .json(Self.list(found, total: found.count))
        case "remove-by-metadata":
            let matcher = try ValueMatcher(try call.document())
            let ids = try call.session.rules.stubs.entries.filter { try hasMetadata($0.stub, matcher, call) }.map(
                \.order
            )
            removeMappings(call.session) { ids.contains($0.order) }
            return .emptyObject
        case "remove":
            let pattern = try mapping(try call.document())
            removeMappings(call.session) {
                $0.stub.id == pattern.id || $0.stub.request.json == pattern.request.json
            }
            return .empty(200)
        case "edit":
            let stub = try mapping(try call.document())
            let isKnown = try replace(stub, call.session)
            guard isKnown else { throw AdminFailure.notFound }
            return .json(stub.json)
        case "new": return try addMapping(call)
        default: throw AdminFailure.notFound
        }
    }

    private func oneMapping(_ method: String, _ id: String, _ call: AdminRequest) throws -> StubAnswer {
        guard let entry = call.session.rules.stubs.entry(id) else { throw AdminFailure.notFound }
        switch method {
        case "GET": return .json(entry.stub.json)
        case "DELETE":
            removeMappings(call.session) { $0.order == entry.order }
            return .emptyObject
        case "PUT":
            let stub = try mapping(try call.document(), id: id)
            guard try replace(stub, call.session) else { throw AdminFailure.notFound }
            return .json(stub.json)
        default: throw AdminFailure.notFound
        }
    }

    private func hasMetadata(_ stub: StubMapping, _ matcher: ValueMatcher, _ call: AdminRequest) throws -> Bool {
        guard let metadata = stub.metadata else { return false }
        return try matcher.matches(MatchedText(metadata.json()), at: call.request.receivedAt)
    }

    private static func list(_ entries: some Collection<StubStore.Entry>, total: Int) -> JSONNode {
        .object([
            "mappings": .array(entries.map(\.stub.json)),
            "meta": .object(["total": .int(total)]),
        ])
    }

    private func listMappings(_ call: AdminRequest) throws -> StubAnswer {
        let entries = call.session.rules.stubs.entries
        let rest = entries.dropFirst(try call.count("offset") ?? 0)
        return .json(Self.list(rest.prefix(try call.count("limit") ?? .max), total: entries.count))
    }

    private func mapping(_ field: MappingField, id: String? = nil) throws -> StubMapping {
        try StubMapping(field, id: id, templating: configuration.templating, newID: environment.newID)
    }

    private func addMapping(_ call: AdminRequest) throws -> StubAnswer {
        let stub = try mapping(try call.document())
        try add(stub, call.session)
        for mistake in stub.mistakes(in: folder) {
            configuration.warn("added stub '\((stub.name ?? stub.id).prefix(100))': \(mistake)")
        }
        return .json(stub.json, status: 201)
    }

    /// - Parameter index: The position of a recorded stub in its recording.
    func add(_ stub: StubMapping, _ session: StubSession, recordedAt index: Int? = nil) throws {
        let order = try session.withState { state in
            guard !state.rules.stubs.isFull else { throw Self.tooManyStubs }
            if let scenario = stub.scenario { state.rules.scenarios.add(scenario) }
            return state.rules.stubs.add(stub)
        }
        if stub.isPersistent == true { try persist(stub, order, session, index: index) }
    }

    private static let tooManyStubs = AdminFailure(429, "the server has \(StubStore.maximumCount) stubs; remove some")

    private func replace(_ stub: StubMapping, _ session: StubSession) throws -> Bool {
        let order: Int? = session.withState { state in
            guard state.rules.stubs.replace(with: stub) else { return nil }
            state.stubsChanged()
            return state.rules.stubs.entry(stub.id)?.order
        }
        guard let order else { return false }
        if stub.isPersistent == true { try persist(stub, order, session) }
        return true
    }

    // MARK: Files of stubs

    /// Writes a stub to its file, or to a new one if that has several stubs, and keeps it as the stub of this order.
    ///
    /// - Parameter index: The position that the file states for the stub; nil for `order`.
    private func persist(_ stub: StubMapping, _ order: Int, _ session: StubSession, index: Int? = nil) throws {
        guard let folder else {
            throw AdminFailure(409, "the server has no folder for persistent stubs; start it with one")
        }
        guard var entry = session.rules.stubs.entries.first(where: { $0.order == order }) else { return }
        let file = entry.file.flatMap { folder.holdsOneStub($0) ? $0 : nil } ?? MappingName.file(of: stub)
        try folder.write(stub, toMappingFile: file, order: index ?? order)
        (entry.stub, entry.file) = (stub, file)
        session.withState { $0.rules.stubs.update(entry) }
    }

    /// Makes all stubs persistent.
    private func saveMappings(_ session: StubSession) throws {
        for entry in session.rules.stubs.entries.reversed() {
            // Among members of the same name, the last one counts.
            let document = (entry.stub.json.members ?? []) + [JSONNode.Member("persistent", .bool(true))]
            try persist(try mapping(MappingField(.object(document))), entry.order, session)
        }
    }

    /// Removes stubs, and the files of persistent ones: the other files are the user's.
    func removeMappings(_ session: StubSession, where isRemoved: (StubStore.Entry) -> Bool) {
        let removed = removeStubs(session, where: isRemoved)
        removeFiles(of: removed.filter { $0.stub.isPersistent == true }, session)
    }

    private func removeStubs(_ session: StubSession, where isRemoved: (StubStore.Entry) -> Bool) -> [StubStore.Entry] {
        session.withState { state in
            let removed = state.rules.stubs.entries.filter(isRemoved)
            let orders = Set(removed.map(\.order))
            state.rules.stubs.remove { orders.contains($0.order) }
            state.stubsChanged()
            return removed
        }
    }

    /// Removes the files of removed stubs. A file with several stubs stays.
    private func removeFiles(of removed: [StubStore.Entry], _ session: StubSession) {
        // Sessions share the folder, and only the server itself owns it.
        guard let folder, session.id == nil else { return }
        for file in removed.compactMap(\.file) where folder.holdsOneStub(file) { folder.removeMappingFile(file) }
    }

    /// Replaces all stubs with those of the folder, and resets the scenarios and the journal. Stubs that are in no file
    /// are lost.
    func resetMappings(_ session: StubSession) throws {
        let loaded = folder?.stubs(templating: configuration.templating, newID: environment.newID)
        if let problem = loaded?.problems.first, configuration.unreadable == .stopTheStart {
            throw AdminFailure(status: 422, error: problem.error)
        }
        session.withState { state in
            state.rules.stubs.removeAll()
            for (stub, file) in loaded?.stubs ?? [] { state.rules.stubs.add(stub, file: file) }
            state.stubsChanged()
            state.rules.scenarios.reset()
            state.journal.removeAll()
        }
    }

    /// Replaces the stubs of files by those that the files have now. Other stubs and the states of scenarios stay.
    ///
    /// - Returns: The errors of files. Nothing changes with one, unless wrong mappings are left out.
    func reloadMappings(_ session: StubSession) -> [StubFolder.Problem] {
        guard let folder else { return [] }
        let (stubs, problems) = folder.stubs(templating: configuration.templating, newID: environment.newID)
        guard problems.isEmpty || configuration.unreadable == .leftOut else { return problems }
        folder.mistakes(in: stubs).forEach(configuration.warn)
        session.withState { state in
            let others = state.rules.stubs.entries.filter { $0.file == nil }.sorted { $0.order < $1.order }
            state.rules.stubs.removeAll()
            for (stub, file) in stubs { state.rules.stubs.add(stub, file: file) }
            for other in others { state.rules.stubs.add(other.stub) }
            state.stubsChanged()
        }
        return problems
    }

    private func importMappings(_ call: AdminRequest) throws -> StubAnswer {
        let document = try call.document()
        try document.requireKeys(["mappings", "importOptions", "meta", "$schema"])
        let options = document["importOptions"]
        try options?.requireKeys(["duplicatePolicy", "deleteAllNotInImport"])
        let policy = try options?["duplicatePolicy"]?.text() ?? "OVERWRITE"
        guard ["OVERWRITE", "IGNORE"].contains(policy) else {
            throw options?["duplicatePolicy"]?.error("write OVERWRITE or IGNORE.") ?? document.error("wrong options")
        }
        let stubs = try document["mappings"]?.list().map { try mapping($0) } ?? []
        let present = call.session.rules.stubs.entries
        var known = Set(present.map(\.stub.id))
        guard present.count + Set(stubs.map(\.id)).subtracting(known).count <= StubStore.maximumCount else {
            throw Self.tooManyStubs
        }
        // The newest stub wins among equals. The stubs are added in reverse, so that the first one in the file wins.
        for stub in stubs.reversed() {
            if known.insert(stub.id).inserted {
                try add(stub, call.session)
            } else if policy == "OVERWRITE" {
                _ = try replace(stub, call.session)
            }
        }
        if try options?["deleteAllNotInImport"]?.bool() == true {
            let ids = Set(stubs.map(\.id))
            removeMappings(call.session) { !ids.contains($0.stub.id) }
        }
        return .empty(200)
    }
}
