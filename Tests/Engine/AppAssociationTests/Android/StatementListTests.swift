import AppAssociation
import LinkRouting
import Testing

/// Statement lists with their include files.
struct StatementListTests {
    private static let start = "https://a.com/.well-known/assetlinks.json"

    private func statement(_ site: String) -> String {
        #"{"relation":["navigate/x"],"target":{"namespace":"web","site":"https://\#(site)"}}"#
    }

    private func include(_ url: String) -> String { #"{"include":"\#(url)"}"# }

    private func list(_ files: [String: [String]], of source: String = "https://a.com") throws -> StatementList {
        StatementList(of: .web(try WebSite(source))) { location in
            guard case .url(let url) = location, let statements = files[url] else {
                return .failed(StatementList.Failure(.fetchError, "nothing there"))
            }
            return .body(Array("[\(statements.joined(separator: ","))]".utf8))
        }
    }

    private func sites(_ list: StatementList) -> [String] { list.statements.map(\.target.description) }

    @Test func includedStatementsReplaceTheirInclude() throws {
        let list = try list([
            Self.start: [statement("one.com"), include("https://b.com/x"), statement("three.com")],
            "https://b.com/x": [statement("two.com"), statement("one.com")],
        ])
        #expect(sites(list) == ["https://one.com.", "https://two.com.", "https://three.com."])
        #expect(list.errors.isEmpty && list.remarks.isEmpty)
    }

    @Test func includeLoopEndsAndValidStatementsCount() throws {
        let list = try list([
            Self.start: [include("https://b.com/x"), statement("one.com")],
            "https://b.com/x": [include(Self.start), statement("two.com")],
        ])
        #expect(sites(list) == ["https://two.com.", "https://one.com."])
        #expect(list.errors.map(\.code) == [.fetchBudgetExhausted])
    }

    @Test func aFileIncludedTwiceIsReadOnce() throws {
        let list = try list([
            Self.start: [include("https://b.com/x"), include("https://b.com/x")],
            "https://b.com/x": [statement("two.com")],
        ])
        #expect(sites(list) == ["https://two.com."] && list.errors.isEmpty)
    }

    @Test func noMoreThanTheBudgetIsRead() throws {
        var files = [Self.start: [include("https://b.com/0")]]
        for index in 0..<100 {
            files["https://b.com/\(index)"] = [statement("s\(index).com"), include("https://b.com/\(index + 1)")]
        }
        let list = try list(files)
        #expect(list.statements.count == StatementList.fetchBudget - 1)
        #expect(list.errors.map(\.code) == [.fetchBudgetExhausted])
    }

    @Test func aSecureSiteIncludesNothingInsecure() throws {
        let files = [
            Self.start: [include("http://b.com/x")], "http://b.com/x": [statement("two.com")],
            "http://a.com/.well-known/assetlinks.json": [include("http://b.com/x")],
        ]
        #expect(try list(files).errors.map(\.code) == [.secureAssetIncludesInsecure])
        #expect(try sites(list(files, of: "http://a.com")) == ["https://two.com."])
    }

    @Test func aFileThatCannotBeReadIsAnErrorOfItsOwn() throws {
        let list = try list([Self.start: [include("https://b.com/x"), "{", statement("one.com")]])
        #expect(list.errors.map(\.code) == [.malformedContent])
        #expect(list.statements.isEmpty && list.remarks.count == 1)
        let missing = try self.list([Self.start: [include("https://b.com/x"), statement("one.com")]])
        #expect(missing.errors.map(\.code) == [.fetchError])
        #expect(sites(missing) == ["https://one.com."])
    }

    @Test func aRelationIsComparedExactly() throws {
        let list = try list([Self.start: [statement("one.com")]])
        let target = StatementAsset.web(try WebSite("https://ONE.com:443"))
        #expect(list.links(to: target, by: try StatementRelation("navigate/x")))
        #expect(!list.links(to: target, by: try StatementRelation("navigate/x.y")))
        #expect(!list.links(to: .web(try WebSite("http://one.com")), by: try StatementRelation("navigate/x")))
        #expect(list.statements(with: .handleAllURLs).isEmpty && list.statements(with: nil).count == 1)
    }
}
