import Foundation
import LinkRouting
import TestKit
import TestSupport
import Testing

struct FixtureTests {
    /// Writes files into `__files` and reads the folder.
    private func folder(_ files: [String: String]) throws -> FixtureFolder {
        try inTemporaryDirectory { directory in
            for (path, text) in files {
                let file = URL(filePath: "\(directory)/__files/\(path)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file)
            }
            return try FixtureFolder(of: directory)
        }
    }

    @Test func brokenJSONHasAPlace() throws {
        let problems = try folder(["a/b.json": "{\n  \"x\": 1,\n}", "ok.json": "1"]).problems
        #expect(
            problems.map(\.description) == ["__files/a/b.json:2:9: there is a comma after the last value; remove it."]
        )
    }

    @Test func repeatedKeyIsBrokenJSON() throws {
        let problem = try #require(try folder(["a.json": #"{"x": 1, "x": 2}"#]).problems.first)
        #expect(problem.position == JSONNode.Position(line: 1, column: 10))
    }

    @Test func templateIsNotBroken() throws {
        let folder = try folder(["a.json": "{\"id\": {{request.path}} }"])
        #expect(folder.problems == [] && folder.notes.count == 1)
        #expect(FixtureCode(folder, in: .swift).text.contains("case a = \"a.json\""))
    }

    @Test func filesWithOneNameAreReported() throws {
        let problems = try folder(["product/1.json": "1", "product-1.json": "2"]).problems
        #expect(problems.map(\.path) == ["product/1.json"])
        #expect(problems.first?.message.contains("__files/product-1.json") == true)
    }

    @Test func missingFolderIsNamed() throws {
        try inTemporaryDirectory { directory in
            let error = #expect(throws: FixtureFolder.Unreadable.self) { try FixtureFolder(of: directory) }
            #expect(error?.description.contains("has no folder '__files'") == true)
        }
    }

    @Test(arguments: [
        ("[1, 2.5]", JSONShape.list(.double)), ("[1, null]", .list(.optional(.int))), ("[]", .list(nil)),
        ("[1, \"a\"]", .list(.mixed)), ("{\"1\": true, \"2\": false}", .map(.bool)), ("null", .null),
        ("99999999999999999999", .double), ("[[1], [\"a\"]]", .list(.list(.mixed))),
    ])
    func shapeFollowsTheValues(_ json: String, _ shape: JSONShape) throws {
        #expect(JSONShape(try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 100))) == shape)
    }

    @Test func keysOfOneNameAreNumberedAndReported() throws {
        let code = FixtureCode(try folder(["a.json": #"{"user-id": 1, "user_id": 2, "class": 3}"#]), in: .swift)
        #expect(code.text.contains("let userID2: Int") || code.text.contains("let userId2: Int"))
        #expect(code.text.contains("let `class`: Int"))
        #expect(code.notes.map(\.position.column) == [16])
    }

    @Test func keyOfSomeObjectsIsOptional() throws {
        let code = FixtureCode(try folder(["list.json": #"[{"a": 1}, {"a": 2, "b": "x"}]"#]), in: .kotlin, package: "p")
        #expect(code.text.contains("val a: Long,"))
        #expect(code.text.contains("val b: String?"))
        #expect(code.text.contains("val list: List<ListItem> get()"))
    }

    @Test(arguments: [
        ("product/123", "product123", "Product123", "PRODUCT_123"),
        ("ProductDetail", "productDetail", "ProductDetail", "PRODUCT_DETAIL"),
        ("123", "_123", "_123", "_123"), ("", "empty", "Empty", "EMPTY"), ("*/ \"", "empty", "Empty", "EMPTY"),
        ("URL", "url", "URL", "URL"), ("日本", "日本", "日本", "日本"),
    ])
    func namesAreStable(_ text: String, _ lower: String, _ upper: String, _ snake: String) {
        let name = SourceName(text)
        #expect(name.lowerCamel == lower && name.upperCamel == upper && name.upperSnake == snake)
    }
}
