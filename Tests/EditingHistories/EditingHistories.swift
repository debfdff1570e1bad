import Foundation
import LinkCatalog
import LinkRouting
import LinkStorage

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
        let pool = WorkPool(threads: workers)
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
                        try await run(start..<end, pool, in: "\(folder)/\(start).db")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func run(_ seeds: Range<Int>, _ pool: WorkPool, in path: String) async throws {
        let store = try CatalogDatabase(path)
        for seed in seeds {
            guard let tenant = TenantID("h\(seed)") else { continue }
            var run = EditingRun(seed: seed, catalog: EditedCatalog(store, pool: pool, tenant: tenant))
            try await run.run(steps: stepsEach)
        }
        try store.close()
        for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
    }
}

/// One history.
private struct EditingRun {
    private let seed: Int
    private let catalog: EditedCatalog
    private var history: EditingHistory
    private var model = EditingModel()
    private var told: [String] = []

    init(seed: Int, catalog: EditedCatalog) {
        self.seed = seed
        self.catalog = catalog
        history = EditingHistory(seed: seed)
    }

    mutating func run(steps: Int) async throws {
        try await catalog.saveSettings(hasWebsite: true)
        for _ in 0..<steps {
            if history.happens(oneIn: 6) {
                try await takeTogether(history.burst(model))
            } else {
                try await take(history.step(model))
            }
        }
        var stored = model
        try await catalog.read(into: &stored)
        try compare(stored, model) { $0 == $1 }
    }

    private mutating func take(_ step: EditingStep) async throws {
        let before = model
        let expected = model.take(step)
        let answer = try await catalog.take(step)
        told.append("\(step) -> \(answer.code)")
        guard answer.code == expected else { throw difference("the model answers \(expected)") }
        guard expected == .done else { return }
        switch step {
        case .putRoute(_, _, let place, _, _), .removeRoute(_, let place, _, _), .putTable(_, let place, _, _):
            guard answer.table == model.drafts[place]?.table else {
                throw difference("the draft is \(words(answer.table))")
            }
            model.drafts[place]?.version = answer.version ?? ""
        case .publish(let place, _, _, _):
            try check(answer, before.liveTable(place.environment), model.liveTable(place.environment))
        case .publishAgain(_, let environment, _, _):
            try check(answer, before.liveTable(environment), model.liveTable(environment))
        case .plan(let place, _), .planTable(_, let place, _, _):
            try check(answer, before.liveTable(place.environment), nil)
        case .removeDraft, .saveSettings, .guardTables, .prune: break
        }
    }

    /// Checks that the model predicts the published table and that every change was reported. The position of new
    /// routes after a merge is not predicted.
    private mutating func check(
        _ answer: EditedCatalog.Answer,
        _ old: EditingModel.Table,
        _ new: EditingModel.Table?
    ) throws {
        guard let table = answer.table else { throw difference("nothing is said of the table") }
        let ids = Set(old.ids).union(table.ids).filter { old.routes[$0] != table.routes[$0] }
        guard answer.changed == ids else {
            throw difference("told are changes of \(answer.changed ?? []), not of \(ids)")
        }
        guard let new else { return }
        guard table.says(new), answer.revision == model.newest else {
            throw difference("revision \(answer.revision ?? 0) is \(words(table))")
        }
        model.revisions[model.newest]?.table = table
    }

    /// Concurrent steps must have the same results and effects as in some sequential order.
    private mutating func takeTogether(_ steps: [EditingStep]) async throws {
        let catalog = catalog
        let codes = try await withThrowingTaskGroup(of: (Int, EditingModel.Code).self) { group in
            for (index, step) in steps.enumerated() {
                group.addTask { (index, try await catalog.take(step).code) }
            }
            var codes = steps.map { _ in EditingModel.Code.done }
            for try await (index, code) in group { codes[index] = code }
            return codes
        }
        told.append("together: " + zip(steps, codes).map { "\($0) -> \($1)" }.joined(separator: " | "))
        var stored = model
        try await catalog.read(into: &stored)
        var reason: (any Error)?
        for order in Self.orders(of: steps.count) {
            do {
                stored = try outcome(of: steps, codes, in: order, stored)
                model = stored
                return
            } catch {
                reason = error
            }
        }
        throw reason ?? difference("no order of these steps comes to this")
    }

    private func outcome(
        of steps: [EditingStep],
        _ codes: [EditingModel.Code],
        in order: [Int],
        _ stored: EditingModel
    ) throws -> EditingModel {
        var model = model
        model.ignoresOrder = true
        for index in order where codes[index] != .order {
            let expected = model.take(steps[index])
            guard expected == codes[index] else {
                throw difference("in the order \(order) the model answers \(expected)")
            }
        }
        try compare(stored, model) { $0.says($1) }
        return stored
    }

    private static func orders(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return orders(of: count - 1).flatMap { order in
            (0...order.count).map { place in Array(order[..<place]) + [count - 1] + Array(order[place...]) }
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
        for (place, draft) in stored.drafts {
            guard let other = model.drafts[place], isSame(draft.table, other.table), draft.base == other.base else {
                throw difference("the draft \(place) is \(words(draft.table)) on \(draft.base ?? 0)")
            }
        }
    }

    private func difference(_ text: String) -> EditingHistories.Difference {
        EditingHistories.Difference(
            description: "history \(seed): \(text), after\n" + told.map { "  \($0)" }.joined(separator: "\n")
        )
    }

    private func words(_ table: EditingModel.Table?) -> String {
        guard let table else { return "nothing" }
        return
            (table.ids.map { String(decoding: table.routes[$0] ?? [], as: UTF8.self) }
            + [String(decoding: table.defaults ?? [], as: UTF8.self)]).joined(separator: " ")
    }
}
