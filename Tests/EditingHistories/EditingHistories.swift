import CatalogSupport
import Foundation
import LinkCatalog
import LinkRouting
import LinkStorage
import PostgresStorage

/// Random histories of editors, drafts, environments, promotions, rollbacks and settings. After each step the catalog
/// is compared with `EditingModel`: the answer, the stored state, and that nothing is lost.
package enum EditingHistories {
    /// A difference between the catalog and the model.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    private static let stepsEach = 12
    /// Tenants per file; each reload reads all of them.
    private static let tenantsEach = 8

    /// Runs the histories of these seeds, with the files on a RAM disk if the system has one with free space.
    package static func run(_ seeds: Range<Int>, workers: Int) async throws {
        let memory = "/dev/shm"
        let parent = access(memory, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory.path
        let folder = "\(parent)/fingerpost-histories-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = WorkQueue(threads: workers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    for start in stride(
                        from: seeds.lowerBound + worker * tenantsEach,
                        to: seeds.upperBound,
                        by: workers * tenantsEach
                    ) {
                        try Task.checkCancellation()
                        let end = min(start + tenantsEach, seeds.upperBound)
                        try await run(start..<end, queue, in: "\(folder)/\(start).db")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func run(_ seeds: Range<Int>, _ queue: WorkQueue, in path: String) async throws {
        let nodes = try await makeNodes(path)
        for seed in seeds {
            guard let tenant = TenantID("h\(seed)") else { continue }
            var run = EditingRun(
                seed: seed,
                catalogs: nodes.map { EditedCatalog($0, queue: queue, tenant: tenant) }
            )
            try await run.run(steps: stepsEach)
        }
        for node in nodes { try node.close() }
        for file in [path, path + "2"] { for ending in ["", "-wal", "-shm"] { unlink(file + ending) } }
    }

    /// One node with a file; or, with a server, two nodes with one catalog in PostgreSQL, which edit in turn.
    private static func makeNodes(_ path: String) async throws -> [CatalogDatabase] {
        guard TestPostgres.folder != nil else { return [try CatalogDatabase(path)] }
        let address = try await TestPostgres.makeStore().address
        return try ["", "2"].map { try CatalogDatabase(PostgresStore(address), copy: path + $0, node: $0) }
    }
}

/// One history.
private struct EditingRun {
    private let seed: Int
    /// One for each node.
    private let catalogs: [EditedCatalog]
    private var history: EditingHistory
    private var model = EditingModel()
    private var transcript: [String] = []

    /// The node of the next step.
    private var catalog: EditedCatalog { catalogs[transcript.count % catalogs.count] }

    init(seed: Int, catalogs: [EditedCatalog]) {
        self.seed = seed
        self.catalogs = catalogs
        history = EditingHistory(seed: seed)
    }

    mutating func run(steps: Int) async throws {
        try await catalog.saveSettings(hasWebsite: true)
        for _ in 0..<steps {
            if history.happens(oneIn: 6) {
                try await applyConcurrently(history.burst(model))
            } else {
                try await apply(history.step(model))
            }
        }
        var stored = model
        try await catalog.read(into: &stored)
        try compare(stored, model) { $0 == $1 }
    }

    private mutating func apply(_ step: EditingStep) async throws {
        let before = model
        let expected = model.apply(step)
        let answer = try await catalog.apply(step)
        transcript.append("\(step) -> \(answer.code)")
        guard answer.code == expected else { throw difference("the model answers \(expected)") }
        guard expected == .done else { return }
        switch step {
        case .putRoute(_, _, let location, _, _), .removeRoute(_, let location, _, _), .putTable(_, let location, _, _):
            guard answer.table == model.drafts[location]?.table else {
                throw difference("the draft is \(words(answer.table))")
            }
            model.drafts[location]?.version = answer.version ?? ""
        case .publish(let location, _, _, _): try check(answer, before, publishingIn: location.environment)
        case .publishAgain(_, let environment, _, _): try check(answer, before, publishingIn: environment)
        case .plan(let location, _), .planTable(_, let location, _, _):
            _ = try check(answer, before.liveTable(location.environment))
        case .removeDraft, .saveSettings, .guardTables, .prune: break
        }
    }

    /// Checks that the model predicts the published table and whether it is a new revision. The position of new routes
    /// after a merge is not predicted: the model takes it from the answer.
    private mutating func check(
        _ answer: EditedCatalog.Answer,
        _ before: EditingModel,
        publishingIn environment: String
    ) throws {
        let table = try check(answer, before.liveTable(environment))
        guard table.hasSameContent(as: model.liveTable(environment)) else {
            throw difference("revision \(answer.revision ?? 0) is \(words(table))")
        }
        (model.newest, model.revisions, model.live) = (before.newest, before.revisions, before.live)
        model.publish(table, in: environment)
        guard answer.revision == model.live[environment] else {
            throw difference("the live revision is \(answer.revision ?? 0)")
        }
    }

    /// Checks that every change was reported. Returns the table of the answer.
    private func check(_ answer: EditedCatalog.Answer, _ old: EditingModel.Table) throws -> EditingModel.Table {
        guard let table = answer.table else { throw difference("the answer has no table") }
        let ids = Set(old.ids).union(table.ids).filter { old.routes[$0] != table.routes[$0] }
        guard answer.changed == ids else {
            throw difference("the answer reports changes of \(answer.changed ?? []), not of \(ids)")
        }
        return table
    }

    /// Concurrent steps must have the same results and effects as in some sequential order.
    private mutating func applyConcurrently(_ steps: [EditingStep]) async throws {
        let codes = try await withThrowingTaskGroup(of: (Int, EditingModel.Code).self) { group in
            for (index, step) in steps.enumerated() {
                let catalog = catalogs[index % catalogs.count]
                group.addTask { (index, try await catalog.apply(step).code) }
            }
            var codes = steps.map { _ in EditingModel.Code.done }
            for try await (index, code) in group { codes[index] = code }
            return codes
        }
        transcript.append("together: " + zip(steps, codes).map { "\($0) -> \($1)" }.joined(separator: " | "))
        var stored = model
        try await catalog.read(into: &stored)
        var reason: (any Error)?
        for order in Self.orders(of: steps.count) {
            for takesOrderAsSame in [false, true] {
                do {
                    stored = try outcome(of: steps, codes, in: order, stored, takesOrderAsSame)
                    model = stored
                    return
                } catch {
                    reason = error
                }
            }
        }
        throw reason ?? difference("no sequential order of these steps has this result")
    }

    private func outcome(
        of steps: [EditingStep],
        _ codes: [EditingModel.Code],
        in order: [Int],
        _ stored: EditingModel,
        _ takesOrderAsSame: Bool
    ) throws -> EditingModel {
        var model = model
        model.ignoresOrder = true
        model.takesOrderAsSame = takesOrderAsSame
        for index in order where codes[index] != .order {
            let expected = model.apply(steps[index])
            guard expected == codes[index] else {
                throw difference("in the order \(order) the model answers \(expected)")
            }
        }
        try compare(stored, model) { $0.hasSameContent(as: $1) }
        return stored
    }

    private static func orders(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return orders(of: count - 1).flatMap { order in
            (0...order.count).map { position in Array(order[..<position]) + [count - 1] + Array(order[position...]) }
        }
    }

    private func compare(
        _ stored: EditingModel,
        _ model: EditingModel,
        _ isSame: (EditingModel.Table, EditingModel.Table) -> Bool
    ) throws {
        guard stored.live == model.live, stored.newest == model.newest,
            Set(stored.revisions.keys) == Set(model.revisions.keys), Set(stored.drafts.keys) == Set(model.drafts.keys)
        else { throw difference("stored are \(stored.live) \(stored.revisions.keys.sorted()), not \(model.live)") }
        guard stored.hasWebsite == model.hasWebsite, stored.isGuarded == model.isGuarded else {
            throw difference("the settings or the suites are others")
        }
        for (number, revision) in stored.revisions {
            guard let other = model.revisions[number], isSame(revision.table, other.table),
                revision.environment == other.environment
            else { throw difference("revision \(number) is \(words(revision.table))") }
        }
        for (location, draft) in stored.drafts {
            guard let other = model.drafts[location], isSame(draft.table, other.table), draft.base == other.base else {
                throw difference("the draft \(location) is \(words(draft.table)) on \(draft.base ?? 0)")
            }
        }
    }

    private func difference(_ text: String) -> EditingHistories.Difference {
        EditingHistories.Difference(
            description: "history \(seed): \(text), after\n" + transcript.map { "  \($0)" }.joined(separator: "\n")
        )
    }

    private func words(_ table: EditingModel.Table?) -> String {
        guard let table else { return "nothing" }
        return
            (table.ids.map { String(decoding: table.routes[$0] ?? [], as: UTF8.self) }
            + [String(decoding: table.defaults ?? [], as: UTF8.self)]).joined(separator: " ")
    }
}
