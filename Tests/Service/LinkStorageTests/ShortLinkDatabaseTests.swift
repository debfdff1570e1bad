import CatalogSupport
import Foundation
import GRDB
import LinkCatalog
import LinkRouting
import Synchronization
import TestSupport
import Testing

@testable import LinkStorage

/// `links.db`: creation, changes, history, lists and bounds of short links.
struct ShortLinkDatabaseTests {
    private let now = instant("2026-11-21T10:00:00Z")
    private let shop = tenant("shop")
    private let blog = tenant("blog")

    struct Refusal: Error {}

    // MARK: Creation

    @Test func createdLinkIsFoundWhole() async throws {
        try await withLinks { links in
            let content = ShortLink.Content(
                target: "https://www.acme.com/item/7?a=ä",
                title: "Spring \"sale\"",
                note: "Line 1\nLine 2",
                tags: ["spring", "é"],
                campaign: ["source": "mail", "campaign": "spring 26"],
                preview: ShortLink.Preview(title: "A", image: "https://www.acme.com/a.png"),
                expires: now.later(days: 9)
            )
            let new = NewShortLink(code: code("Spring-26"), content: content, createdAt: now, createdBy: editor)
            let link = ShortLink(code: code("Spring-26"), content: content, createdAt: now, createdBy: editor)
            let created = try await links.create([new], of: shop)
            #expect(created == [.created(link)])
            #expect(try await links.link(code("Spring-26"), of: shop, ignoringCase: false) == link)
            #expect(try await links.link(code("Spring-26"), of: blog, ignoringCase: true) == nil)
            #expect(try await links.link(code("other"), of: shop, ignoringCase: true) == nil)
            #expect(try await links.count(of: shop) == 1)
            #expect(try await links.count(of: blog) == 0)
        }
    }

    @Test func endOfAnAppsLinkMovesUntilItIsChanged() async throws {
        try await withLinks { links in
            let content = ShortLink.Content(target: "https://www.acme.com/item/7", expires: now.later(days: 90))
            for isFromApp in [true, false] {
                let name = code(isFromApp ? "app" : "person")
                let new = NewShortLink(
                    code: name,
                    content: content,
                    createdAt: now,
                    createdBy: editor,
                    isFromApp: isFromApp
                )
                _ = try await links.create([new], of: shop)
                func prolong(from start: Int, to end: Int) async throws -> Bool {
                    try await links.prolong(name, of: shop, from: now.later(days: start), to: now.later(days: end))
                }
                #expect(try await prolong(from: 80, to: 170) == false)
                #expect(try await prolong(from: 90, to: 170) == isFromApp)
                let stored = try await links.link(name, of: shop, ignoringCase: false)
                #expect(stored?.content.expires == now.later(days: isFromApp ? 170 : 90))
                #expect(stored?.version == 1 && stored?.updatedAt == now)
                #expect(try await links.history(of: name, of: shop).count == 1)
                _ = try await links.update(name, of: shop, by: editor, at: now.later(days: 1)) { link in
                    var link = link
                    link.content.title = "Changed"
                    return link
                }
                #expect(try await prolong(from: isFromApp ? 170 : 90, to: 200) == false)
            }
        }
    }

    @Test func codeIsTakenOnceInATenant() async throws {
        try await withLinks { links in
            let first = try #require(try await links.create(new("a"), of: shop).link)
            let results = try await links.create([new("b"), new("a", "https://www.acme.com/8"), new("c")], of: shop)
            #expect(results.map(\.name) == ["created", "taken", "created"])
            #expect(results[1].link == first)
            #expect(try await links.create(new("a"), of: blog).name == "created")
            #expect(try await links.count(of: shop) == 3)
        }
    }

    @Test func takenRandomCodesAreNotUsed() async throws {
        // The first two codes are the same, the third is another.
        let calls = Calls()
        try await withLinks(random: { _ in calls.next() <= 2 * ShortCode.randomLength ? 0 : 1 }) { links in
            let created = try await links.create([new(nil), new(nil)], of: shop)
            #expect(created.map(\.name) == ["created", "created"])
            #expect(created.map { $0.link?.code.rawValue } == ["2222222", "3333333"])
        }
        try await withLinks(random: { _ in 0 }) { links in
            let created = try await links.create([new(nil), new(nil)], of: shop)
            #expect(created.map(\.name) == ["created", "taken"])
        }
    }

    @Test func letterCaseCountsUnlessItIsIgnored() async throws {
        try await withLinks { links in
            _ = try await links.create([new("SPRING"), new("Spring"), new("sale"), new("A_b")], of: shop)
            _ = try await links.create([new("spring")], of: blog)
            let cases: [(String, String?, String?)] = [
                ("Spring", "Spring", "Spring"), ("spring", nil, "SPRING"), ("sPRING", nil, "SPRING"),
                ("sale", "sale", "sale"), ("Sale", nil, "sale"), ("a_B", nil, "A_b"), ("aXb", nil, nil),
            ]
            for (text, exact, ignoringCase) in cases {
                #expect(try await links.link(code(text), of: shop, ignoringCase: false)?.code.rawValue == exact)
                #expect(try await links.link(code(text), of: shop, ignoringCase: true)?.code.rawValue == ignoringCase)
            }
        }
    }

    @Test func reuseReturnsTheLinkWithTheSameTargetCampaignAndInstall() async throws {
        try await withLinks { links in
            let first = try #require(try await links.create(new("a", reuse: true), of: shop).link)
            #expect(try await links.create(new(nil, reuse: true), of: shop) == .reused(first))
            #expect(try await links.create(new("b", reuse: true), of: shop) == .reused(first))
            #expect(try await links.create(new(nil, reuse: true), of: blog).name == "created")
            #expect(try await links.create(new(nil, "https://www.acme.com/8", reuse: true), of: shop).name == "created")
            var other = new(nil, reuse: true)
            other.content.campaign = ["source": "mail"]
            #expect(try await links.create(other, of: shop).name == "created")
            #expect(try await links.create(other, of: shop).name == "reused")

            // Of apps, only the links of the same install.
            let one = Data(repeating: 1, count: 16)
            #expect(try await links.create(new(nil, install: one, reuse: true), of: shop).name == "created")
            #expect(try await links.create(new(nil, install: one, reuse: true), of: shop).name == "reused")
            let two = Data(repeating: 2, count: 16)
            #expect(try await links.create(new(nil, install: two, reuse: true), of: shop).name == "created")
            let unknown = NewShortLink(
                code: nil,
                content: first.content,
                createdAt: now,
                createdBy: editor,
                isFromApp: true,
                isReused: true
            )
            for _ in 0..<2 { #expect(try await links.create(unknown, of: shop).name == "created") }

            // A link that nobody can follow is not returned, nor one that has another target now.
            _ = try await links.update(first.code, of: shop, by: editor, at: now) { $0.with(.archived) }
            let second = try await links.create(new("second", reuse: true), of: shop)
            #expect(second.name == "created")
            _ = try await links.update(code("second"), of: shop, by: editor, at: now) { link in
                var link = link
                link.content.expires = link.createdAt
                return link
            }
            #expect(try await links.create(new("third", reuse: true), of: shop).name == "created")
            _ = try await links.update(code("third"), of: shop, by: editor, at: now) { link in
                var link = link
                link.content.target = "https://www.acme.com/9"
                return link
            }
            #expect(try await links.create(new("fourth", reuse: true), of: shop).name == "created")
            let moved = try await links.create(new(nil, "https://www.acme.com/9", reuse: true), of: shop)
            #expect(moved.name == "reused" && moved.link?.code == code("third"))
        }
    }

    @Test func secondImportCreatesNothing() async throws {
        try await withLinks { links in
            var rows = [new(nil, reuse: true), new(nil, reuse: true), new(nil, "https://www.acme.com/8", reuse: true)]
            rows[1].isArchived = true
            rows[2].isArchived = true
            rows[2].content.expires = Timestamp(milliseconds: now.milliseconds - 1)
            var ended = new(nil, "https://www.acme.com/9", reuse: true)
            ended.content.expires = now
            rows.append(ended)
            let first = try await links.create(rows, of: shop)
            #expect(first.map(\.name) == ["created", "created", "created", "created"])
            let second = try await links.create(rows, of: shop)
            #expect(second.map(\.name) == ["reused", "reused", "reused", "reused"])
            #expect(second.map { $0.link?.code } == first.map { $0.link?.code })
            // A link with a later end is another one.
            ended.content.expires = now.later(days: 1)
            #expect(try await links.create(ended, of: shop).name == "created")
        }
    }

    @Test func numberOfLinksIsBounded() async throws {
        try await withLinks(limits: ShortLinkDatabase.Limits(links: 4, appLinks: 2)) { links in
            let install = Data(repeating: 1, count: 16)
            let apps = try await links.create((0..<3).map { new("app\($0)", install: install) }, of: shop)
            #expect(apps.map(\.name) == ["created", "created", "full of apps"])
            // An erased install leaves the number of the apps' links as it is.
            #expect(try await links.eraseInstall(install, of: shop, at: now) == 2)
            #expect(try await links.create(new("app3", install: install), of: shop).name == "full of apps")
            let others = try await links.create([new("a"), new("b"), new("c"), new("a")], of: shop)
            #expect(others.map(\.name) == ["created", "created", "full", "taken"])
            #expect(try await links.create(new("a"), of: blog).name == "created")
            #expect(try await links.deleteLinks(of: shop) == 4)
            #expect(try await links.create([new("c"), new("app3", install: install)], of: shop).count == 2)
            #expect(try await links.count(of: shop) == 2)
        }
    }

    // MARK: Changes

    @Test func historyHasTheLastTwentyChanges() async throws {
        try await withLinks { links in
            _ = try await links.create(new("a"), of: shop)
            let created = try await links.history(of: code("a"), of: shop)
            #expect(created.map(\.version) == [1] && created.first?.actor == editor && created.first?.at == now)
            #expect(created.first?.link["target"]?.text == "https://www.acme.com/item/7")

            let guest = Actor(kind: .key, id: "k2", name: "guest")
            for number in 1...25 {
                let changed = try await links.update(code("a"), of: shop, by: guest, at: now.later(days: number)) {
                    link in
                    var link = link
                    link.content.title = "title \(number)"
                    return link
                }
                #expect(changed?.version == Int64(number + 1) && changed?.updatedAt == now.later(days: number))
                if number == 1 {
                    let both = try await links.history(of: code("a"), of: shop)
                    #expect(both.map(\.version) == [2, 1] && both.map(\.actor) == [guest, editor])
                    #expect(both.map { $0.link["title"]?.text } == ["title 1", nil])
                }
            }
            let history = try await links.history(of: code("a"), of: shop)
            #expect(history.map(\.version) == Array((7...26).reversed()))
            #expect(history.first?.link["title"]?.text == "title 25" && history.first?.at == now.later(days: 25))
            #expect(try await links.history(of: code("b"), of: shop).isEmpty)
        }
    }

    @Test func refusedAndEmptyChangesStoreNothing() async throws {
        try await withLinks { links in
            let link = try #require(try await links.create(new("a"), of: shop).link)
            await #expect(throws: Refusal.self) {
                _ = try await links.update(code("a"), of: shop, by: editor, at: now) { _ in throw Refusal() }
            }
            let same = try await links.update(code("a"), of: shop, by: editor, at: now.later(days: 1)) { $0 }
            #expect(same == link)
            #expect(try await links.update(code("b"), of: shop, by: editor, at: now) { $0 } == nil)
            #expect(try await links.update(code("a"), of: blog, by: editor, at: now) { $0 } == nil)
            #expect(try await links.link(code("a"), of: shop, ignoringCase: false) == link)
            #expect(try await links.history(of: code("a"), of: shop).count == 1)
        }
    }

    @Test func statusIsKept() async throws {
        try await withLinks { links in
            var archived = new("old")
            archived.isArchived = true
            #expect(try await links.create(archived, of: shop).link?.status == .archived)
            _ = try await links.create(new("a"), of: shop)
            for status in [
                ShortLink.Status.blocked(reason: "phishing"), .archivedBlocked(reason: "phishing"), .archived, .active,
            ] {
                _ = try await links.update(code("a"), of: shop, by: editor, at: now) { $0.with(status) }
                #expect(try await links.link(code("a"), of: shop, ignoringCase: false)?.status == status)
            }
            let reasons = try await links.history(of: code("a"), of: shop).map { $0.link["blockReason"]?.text }
            #expect(reasons == [nil, nil, "phishing", "phishing", nil])
        }
    }

    /// Changes of many callers at once, of which some are refused, are each stored or refused alone.
    @Test func changesOfManyCallersAreCommittedTogether() async throws {
        try await withLinks { links in
            _ = try await links.create(new("shared"), of: shop)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let created = try await links.create(new("code\(number)"), of: shop)
                        #expect(created.name == "created")
                    }
                    group.addTask { await expectRefusal(by: links) }
                    group.addTask {
                        _ = try await links.update(code("shared"), of: shop, by: editor, at: now) { link in
                            var link = link
                            link.content.title = "\(link.version)"
                            return link
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await links.count(of: shop) == 101)
            #expect(try await links.link(code("shared"), of: shop, ignoringCase: false)?.version == 101)
            #expect(try await links.history(of: code("shared"), of: shop).count == 20)
        }
    }

    private func expectRefusal(by links: ShortLinkDatabase) async {
        await #expect(throws: Refusal.self) {
            _ = try await links.update(code("shared"), of: shop, by: editor, at: now) { _ in throw Refusal() }
        }
    }

    /// What a refused change has written before is undone; the changes beside it stay.
    @Test func refusedChangeIsUndoneAlone() async throws {
        let insert = "INSERT INTO link_tenant (id, name) VALUES (?, ?)"
        try await withLinks { links in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        _ = try? await links.commits.storing { db in
                            try db.execute(sql: insert, arguments: [number, "t\(number)"])
                            if number % 2 == 0 { throw Refusal() }
                            // A second tenant of this name is a mistake of the statement, not a failure of the file.
                            if number % 3 == 0 {
                                try db.execute(sql: insert, arguments: [number, "t\(number)"])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let names = try await links.store.read { try String.fetchAll($0, sql: "SELECT name FROM link_tenant") }
            #expect(Set(names) == ["t1", "t5", "t7", "t11", "t13", "t17", "t19"])
        }
    }

    // MARK: Lists

    @Test func listsArePagedNewestFirst() async throws {
        try await withLinks { links in
            // Several have the same time, and the codes have another order.
            for number in 0..<30 {
                var link = new("c\(29 - number)", tags: number % 3 == 0 ? ["third", "all"] : ["all", "all"])
                link.createdAt = now.later(days: number / 4)
                if number % 5 == 0 { link.isArchived = true }
                if number == 7 { link.content.title = "A Spring Sale" }
                _ = try await links.create(link, of: shop)
            }
            _ = try await links.create(new("foreign", tags: ["third"]), of: blog)
            let all = (0..<30).reversed().map { "c\(29 - $0)" }
            func codes(_ query: ShortLinkQuery) async throws -> [String] {
                var next = query
                var found: [String] = []
                while true {
                    let page = try await links.list(next, of: shop).links
                    guard let last = page.last else { return found }
                    found += page.map(\.code.rawValue)
                    next.after = last.code
                }
            }
            #expect(try await codes(ShortLinkQuery(limit: 7)) == all)
            let third = (0..<30).reversed().filter { $0 % 3 == 0 }.map { "c\(29 - $0)" }
            #expect(try await codes(ShortLinkQuery(tag: "third", limit: 3)) == third)
            #expect(try await codes(ShortLinkQuery(tag: "all", limit: 7)) == all)
            #expect(try await codes(ShortLinkQuery(tag: "none", limit: 3)) == [])
            let archived = (0..<30).reversed().filter { $0 % 5 == 0 }.map { "c\(29 - $0)" }
            #expect(try await codes(ShortLinkQuery(status: .archived, limit: 4)) == archived)
            #expect(try await codes(ShortLinkQuery(tag: "third", status: .archived, limit: 1)) == ["c14", "c29"])
            #expect(try await codes(ShortLinkQuery(text: "SPRING s", limit: 4)) == ["c22"])
            #expect(try await codes(ShortLinkQuery(text: "C2", limit: 4)).count == 11)
            #expect(try await codes(ShortLinkQuery(text: "acme.com/ITEM", limit: 9)) == all)
            #expect(try await links.list(ShortLinkQuery(after: code("unknown"), limit: 4), of: shop).links.isEmpty)

            // The newest of an app do not push out others.
            var app = new("app", install: Data(repeating: 1, count: 16))
            app.createdAt = now.later(days: 9)
            _ = try await links.create(app, of: shop)
            let people = ShortLinkQuery(status: .active(at: now), isFromApp: false, limit: 2)
            let newest = try await links.list(people, of: shop).links.map(\.code.rawValue)
            #expect(newest == ["c0", "c1"])
            #expect(try await codes(people).count == 24)
        }
    }

    /// As a text, links that have expired are searched in a number of links.
    @Test func expiredLinksAreListedApart() async throws {
        try await withLinks(limits: ShortLinkDatabase.Limits(searched: 3)) { links in
            let ends: [Timestamp?] = [nil, now, now.later(days: 1)]
            for number in 0..<5 {
                var link = new("c\(number)")
                link.content.expires = ends[number % 3]
                _ = try await links.create(link, of: shop)
            }
            func page(_ query: ShortLinkQuery) async throws -> [String] {
                let page = try await links.list(query, of: shop)
                return page.links.map(\.code.rawValue) + (page.searchedUntil.map { ["until \($0)"] } ?? [])
            }
            #expect(try await page(ShortLinkQuery(status: .expired(at: now), limit: 9)) == ["c4", "until c2"])
            #expect(
                try await page(ShortLinkQuery(status: .expired(at: now), after: code("c2"), limit: 9)) == ["c1"]
            )
            #expect(try await page(ShortLinkQuery(status: .active(at: now), limit: 2)) == ["c3", "c2"])
            let later = now.later(days: 2)
            #expect(try await page(ShortLinkQuery(status: .active(at: later), limit: 9)) == ["c3", "until c2"])
        }
    }

    @Test func searchSaysWhereItEnded() async throws {
        try await withLinks(limits: ShortLinkDatabase.Limits(searched: 4)) { links in
            // From the newest: c9 … c0.
            for number in 0..<10 { _ = try await links.create(new("c\(number)"), of: shop) }
            let cases: [(text: String?, after: String?, limit: Int, found: [String], end: String?)] = [
                ("c7", nil, 2, ["c7"], "c6"), ("c7", nil, 1, ["c7"], nil), ("c6", nil, 1, ["c6"], nil),
                ("c6", nil, 2, ["c6"], "c6"), ("c0", nil, 2, [], "c6"), ("c0", "c6", 2, [], "c2"),
                ("c0", "c2", 2, ["c0"], nil),
            ]
            for (text, after, limit, found, end) in cases {
                let query = ShortLinkQuery(text: text, after: after.map { code($0) }, limit: limit)
                let page = try await links.list(query, of: shop)
                #expect(page.links.map(\.code.rawValue) == found && page.searchedUntil?.rawValue == end, "\(query)")
            }
        }
    }

    @Test func tagsFollowTheLink() async throws {
        try await withLinks { links in
            _ = try await links.create(new("a", tags: ["one", "two"]), of: shop)
            func tagged(_ tag: String) async throws -> Int {
                try await links.list(ShortLinkQuery(tag: tag, limit: 9), of: shop).links.count
            }
            let cases: [([String], [Int])] = [
                (["two", "three"], [0, 1, 1]), ([], [0, 0, 0]), (["one"], [1, 0, 0]),
            ]
            for (tags, expected) in cases {
                _ = try await links.update(code("a"), of: shop, by: editor, at: now) { link in
                    var link = link
                    link.content.tags = tags
                    return link
                }
                let counts = [try await tagged("one"), try await tagged("two"), try await tagged("three")]
                #expect(counts == expected)
            }
            #expect(try await links.deleteLinks(of: shop) == 1)
            #expect(try await rows(of: "short_link_tag", in: links) == 0)
        }
    }

    // MARK: Erasure and deletion

    @Test func erasureArchivesTheLinksOfAnInstall() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/links.db"
            let links = try ShortLinkDatabase(path) { .random(in: 0..<$0) }
            let install = Data("sixteen bytes 01".utf8)
            let other = Data("sixteen bytes 02".utf8)
            let created = try await links.create((0..<3).map { new("i\($0)", install: install) }, of: shop)
            #expect(created.allSatisfy { $0.link?.install == install })
            _ = try await links.create([new("other", install: other)], of: shop)
            _ = try await links.create([new("i0", install: install)], of: blog)
            _ = try await links.update(code("i1"), of: shop, by: editor, at: now) { $0.with(.blocked(reason: "spam")) }
            #expect(try await links.count(of: shop, by: install, since: now) == 3)
            #expect(try await links.count(of: shop, by: install, since: now.later(days: 1)) == 0)

            #expect(try await links.eraseInstall(install, of: shop, at: now.later(days: 1)) == 3)
            #expect(try await links.eraseInstall(install, of: shop, at: now.later(days: 1)) == 0)
            let erased = try await links.link(code("i0"), of: shop, ignoringCase: false)
            #expect(erased?.status == .archived && erased?.install == nil && erased?.version == 2)
            #expect(try await links.history(of: code("i0"), of: shop).first?.actor == .system)
            let blocked = try await links.link(code("i1"), of: shop, ignoringCase: false)
            #expect(blocked?.status == .blocked(reason: "spam") && blocked?.install == nil)
            #expect(try await links.count(of: shop, by: other, since: now) == 1)
            #expect(try await links.count(of: blog, by: install, since: now) == 1)

            #expect(try await links.eraseInstall(install, of: blog, at: now) == 1)
            for ending in ["", "-wal"] {
                let bytes = try Data(contentsOf: URL(filePath: path + ending))
                #expect(bytes.range(of: install) == nil, "\(ending)")
            }
            try links.close()
        }
    }

    @Test func deletionLeavesNothingOfATenant() async throws {
        try await withLinks { links in
            _ = try await links.create((0..<1_200).map { new("c\($0)", tags: ["t"]) }, of: shop)
            _ = try await links.create([new("a", tags: ["t"])], of: blog)
            for name in ["c1", "c2"] {
                _ = try await links.update(code(name), of: shop, by: editor, at: now) { $0.with(.archived) }
            }
            #expect(try await links.deleteLinks(of: shop) == 1_200)
            #expect(try await links.deleteLinks(of: shop) == 0)
            #expect(try await links.count(of: shop) == 0)
            #expect(try await links.count(of: blog) == 1)
            #expect(try await rows(of: "short_link", in: links) == 1)
            #expect(try await rows(of: "short_link_tag", in: links) == 1)
            #expect(try await rows(of: "short_link_change", in: links) == 0)
        }
    }

    @Test func linksOfAppsAreDeletedAfterTheirEnd() async throws {
        try await withLinks(limits: ShortLinkDatabase.Limits(appLinks: 3)) { links in
            let install = Data(repeating: 1, count: 16)
            for (number, tenant) in [shop, shop, shop, blog].enumerated() {
                var app = new("app\(number)", tags: ["t"], install: install)
                app.content.expires = now.later(days: number)
                #expect(try await links.create(app, of: tenant).name == "created")
            }
            var other = new("other")
            other.content.expires = now
            _ = try await links.create(other, of: shop)
            let time = now.later(days: 2)
            #expect(try await links.deleteAppLinks(expiredBefore: time) == 2)
            #expect(try await links.deleteAppLinks(expiredBefore: time) == 0)
            #expect(try await links.list(ShortLinkQuery(limit: 9), of: shop).links.count == 2)
            #expect(try await links.count(of: blog) == 1)
            #expect(try await rows(of: "short_link_tag", in: links) == 2)
            #expect(try await links.create(new("next", install: install), of: shop).name == "created")
            let plan = try await links.file.read {
                try Row.fetchAll(
                    $0,
                    sql: "EXPLAIN QUERY PLAN SELECT id FROM short_link WHERE from_app = 1 AND expires < 5 LIMIT 7"
                ).map { $0["detail"] as String }
            }
            #expect(plan.count == 1 && plan.first?.contains("short_link_by_end") == true, "\(plan)")
        }
    }

    // MARK: The file

    @Test func linksAreThereAfterTheNextOpening() async throws {
        try await withTemporaryDirectory { directory in
            for number in 0..<3 {
                let links = try ShortLinkDatabase(directory + "/links.db", checkFirst: .yes) { .random(in: 0..<$0) }
                #expect(try await links.count(of: shop) == number)
                _ = try await links.create(new("c\(number)"), of: shop)
                #expect(await links.faults() == [])
                try links.close()
            }
        }
    }

    @Test func wrongCountIsAFault() async throws {
        try await withLinks { links in
            _ = try await links.create(new("a"), of: shop)
            try await links.file.storing { try $0.execute(sql: "UPDATE link_tenant SET links = 7") }
            #expect(await links.faults() == ["\(links.file.path): shop has 1 links, but 7 are counted"])
        }
    }

    @Test func linkWithoutTargetIsDamage() async throws {
        try await withLinks { links in
            _ = try await links.create(new("a"), of: shop)
            try await links.file.storing { try $0.execute(sql: "UPDATE short_link SET content = '{}'") }
            let error = await #expect(throws: StorageError.self) {
                _ = try await links.link(code("a"), of: shop, ignoringCase: false)
            }
            #expect(error?.description.contains("links.db is damaged") == true, "\(String(describing: error))")
        }
    }

    @Test func fileOfAnotherProgramIsRefused() throws {
        try inTemporaryDirectory { directory in
            try CatalogDatabase(directory + "/links.db").close()
            let error = #expect(throws: StorageError.self) {
                _ = try ShortLinkDatabase(directory + "/links.db") { .random(in: 0..<$0) }
            }
            #expect(error == .foreignFile(file: directory + "/links.db"))
        }
    }

    private func rows(of table: String, in links: ShortLinkDatabase) async throws -> Int? {
        try await links.file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
    }
}

// MARK: Shared

let editor = Actor(kind: .key, id: "k1", name: "editor")

func code(_ text: String) -> ShortCode {
    guard let code = ShortCode(text) else { preconditionFailure("'\(text)' is no code") }
    return code
}

func new(
    _ text: String?,
    _ target: String = "https://www.acme.com/item/7",
    tags: [String] = [],
    install: Data? = nil,
    reuse: Bool = false
) -> NewShortLink {
    NewShortLink(
        code: text.map { code($0) },
        content: ShortLink.Content(target: target, tags: tags),
        createdAt: instant("2026-11-21T10:00:00Z"),
        createdBy: editor,
        install: install,
        isReused: reuse
    )
}

func withLinks(
    limits: ShortLinkDatabase.Limits = ShortLinkDatabase.Limits(),
    random: @escaping @Sendable (Int) -> Int = { .random(in: 0..<$0) },
    _ body: (ShortLinkDatabase) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        let source = try await linkSource()
        let links = try ShortLinkDatabase(directory + "/links.db", copyOf: source, limits: limits, random: random)
        try await body(links)
        try links.close()
    }
}

/// A PostgreSQL database for the links if the tests run with a server (./dev test PostgresStorage); else nil.
func linkSource() async throws -> (any SQLStore)? {
    guard TestPostgres.folder != nil else { return nil }
    return try await TestPostgres.makeStore()
}

private final class Calls: Sendable {
    private let count = Mutex(0)

    /// 1 for the first call, and so on.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

extension ShortLinkDatabase {
    func create(_ link: NewShortLink, of tenant: TenantID) async throws -> ShortLinkCreation {
        try #require(try await create([link], of: tenant).first)
    }
}

extension ShortLinkCreation {
    var name: String {
        switch self {
        case .created: "created"
        case .reused: "reused"
        case .taken: "taken"
        case .full(ofApps: false): "full"
        case .full(ofApps: true): "full of apps"
        }
    }

    var link: ShortLink? {
        switch self {
        case .created(let link), .reused(let link), .taken(let link): link
        case .full: nil
        }
    }
}

extension ShortLink {
    func with(_ status: Status) -> ShortLink {
        var link = self
        link.status = status
        return link
    }
}

extension Timestamp {
    func later(days: Int) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64(days) * Self.millisecondsPerDay)
    }
}
