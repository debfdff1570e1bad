import Foundation
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

@testable import LinkStorage

/// Random changes of short links, compared with a model in memory.
struct ShortLinkModelTests {
    private let shop = tenant("shop")

    /// The links of one tenant in the order of their creation.
    private struct Model {
        var links: [ShortLink] = []
        /// The codes of links that apps created.
        var ofApps: Set<ShortCode> = []

        func position(_ code: ShortCode) -> Int? { links.firstIndex { $0.code == code } }

        func folded(_ code: ShortCode) -> ShortLink? {
            position(code).map { links[$0] }
                ?? links.first { $0.code.rawValue.lowercased() == code.rawValue.lowercased() }
        }

        func creation(_ new: NewShortLink) -> ShortLinkCreation? {
            let equal = links.first { link in
                let isUsable = !link.hasExpired(at: new.createdAt) || link.content.expires == new.content.expires
                return isUsable && link.status == .active && link.content.target == new.content.target
                    && link.content.campaign == new.content.campaign && link.install == new.install
                    && ofApps.contains(link.code) == new.isFromApp
            }
            if new.isReused, let equal { return .reused(equal) }
            return new.code.flatMap(position).map { .taken(links[$0]) }
        }

        func list(_ query: ShortLinkQuery) -> [ShortLink] {
            // Each link is newer than those that were created before it.
            let sorted = Array(links.reversed())
            let start = query.after.flatMap { code in sorted.firstIndex { $0.code == code } }.map { $0 + 1 } ?? 0
            return Array(
                sorted[start...].filter { link in
                    query.tag.map { link.content.tags.contains($0) } ?? true
                        && query.status.map { $0.fits(link) } ?? true
                }.prefix(query.limit)
            )
        }
    }

    @Test(arguments: RandomCases.seeds(10)) func randomHistoryIsThatOfTheModel(_ seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        try await withTemporaryDirectory { directory in
            let path = directory + "/links.db"
            let source = try await linkSource()
            var links = try ShortLinkDatabase(path, copyOf: source) { .random(in: 0..<$0) }
            var model = Model()
            for step in 0..<100 {
                let now = Timestamp(milliseconds: 1_795_255_200_000 + Int64(step / 3) * 1_000)
                let picked = code(
                    ["a", "A", "bc", "Bc", "bC", "d-1", "e/f", "E/f"].randomElement(using: &generator) ?? "a"
                )
                switch Int.random(in: 0..<10, using: &generator) {
                case 0...3:
                    let new = randomLink(at: now, picked, &generator)
                    let expected = model.creation(new)
                    let made = try await links.create(new, of: shop)
                    if let expected {
                        #expect(made == expected)
                    } else {
                        let link = try #require(made.link)
                        #expect(made == .created(link) && link.content == new.content && link.version == 1)
                        #expect(new.code == nil || link.code == new.code)
                        model.links.append(link)
                        if new.isFromApp { model.ofApps.insert(link.code) }
                    }
                case 4...6:
                    let changed = randomLink(at: now, picked, &generator)
                    let status =
                        [ShortLink.Status.active, .archived, .blocked(reason: "r"), .archivedBlocked(reason: "r")]
                        .randomElement(using: &generator) ?? .active
                    let updated = try await links.update(picked, of: shop, by: editor, at: now) { link in
                        var link = link
                        link.content = changed.content
                        link.status = status
                        return link
                    }
                    let position = model.position(picked)
                    #expect((updated == nil) == (position == nil))
                    if let position, let updated {
                        let stored = model.links[position]
                        let isSame = stored.content == changed.content && stored.status == status
                        #expect(updated.version == stored.version + (isSame ? 0 : 1))
                        #expect(updated.content == changed.content && updated.status == status)
                        model.links[position] = updated
                    }
                case 7:
                    let install = Data(repeating: 1, count: 16)
                    let count = try await links.eraseInstall(install, of: shop, at: now)
                    #expect(count == model.links.count { $0.install == install })
                    for position in model.links.indices where model.links[position].install == install {
                        model.links[position].install = nil
                        if model.links[position].status == .active { model.links[position].status = .archived }
                        model.links[position].version += 1
                        model.links[position].updatedAt = now
                    }
                case 8 where step % 7 == 0:
                    #expect(try await links.deleteLinks(of: shop) == model.links.count)
                    model = Model()
                default:
                    try links.close()
                    links = try ShortLinkDatabase(path, copyOf: source) { .random(in: 0..<$0) }
                }
                #expect(try await links.link(picked, of: shop, ignoringCase: true) == model.folded(picked))
                #expect(try await links.count(of: shop) == model.links.count)
                let statuses: [ShortLinkQuery.Status?] = [
                    nil, .active(at: now), .expired(at: now), .archived, .blocked,
                ]
                let query = ShortLinkQuery(
                    tag: Bool.random(using: &generator) ? "t1" : nil,
                    status: statuses.randomElement(using: &generator) ?? nil,
                    after: model.links.randomElement(using: &generator)?.code,
                    limit: 4
                )
                #expect(try await links.list(query, of: shop).links == model.list(query))
            }
            for link in model.links {
                let history = try await links.history(of: link.code, of: shop)
                #expect(history.count == min(ShortLinkChange.kept, Int(link.version)))
                #expect(history.first?.version == link.version)
            }
            let all = ShortLinkQuery(limit: 1_000)
            #expect(try await links.list(all, of: shop).links == model.list(all))
            #expect(await links.faults() == [])
            try links.close()
        }
    }

    private func randomLink(at now: Timestamp, _ picked: ShortCode, _ generator: inout SeededGenerator) -> NewShortLink
    {
        var content = ShortLink.Content(target: "https://www.acme.com/\(Int.random(in: 0..<3, using: &generator))")
        if Bool.random(using: &generator) { content.tags = ["t1", "t2"] }
        if Bool.random(using: &generator) { content.campaign = ["source": "mail"] }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            let seconds = Int64.random(in: 1...9, using: &generator)
            content.expires = Timestamp(milliseconds: now.milliseconds + seconds * 1_000)
        }
        return NewShortLink(
            code: Int.random(in: 0..<4, using: &generator) == 0 ? nil : picked,
            content: content,
            createdAt: now,
            createdBy: editor,
            install: Int.random(in: 0..<4, using: &generator) == 0 ? Data(repeating: 1, count: 16) : nil,
            isReused: Int.random(in: 0..<4, using: &generator) == 0
        )
    }
}

extension ShortLinkQuery.Status {
    fileprivate func fits(_ link: ShortLink) -> Bool {
        switch self {
        case .active(let now): link.statusName(at: now) == "active"
        case .expired(let now): link.statusName(at: now) == "expired"
        case .archived: link.status.name == "archived"
        case .blocked: link.status.name == "blocked"
        }
    }
}
