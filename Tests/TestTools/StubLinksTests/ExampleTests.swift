import Foundation
import LinkCatalog
import LinkRouting
import StubLinks
import StubServer
import TestSupport
import Testing

/// The example of the test kit: its stub folder with its table.
@Suite(.timeLimit(.minutes(15)))
struct ExampleTests {
    private static let folder = Repository.file("config/examples/testkit")

    @Test func everyCaseOfTheSuiteIsAnsweredAsItExpects() async throws {
        let suitePath = Self.folder.appending(path: "catalog.suite.yaml").path
        let suite = try LinkSuite(try String(contentsOfFile: suitePath, encoding: .utf8))
        try await RunningStub.run(
            tenants: [:],
            configure: { links, stub in
                links.tenants = [Self.folder.appending(path: "catalog.yaml").path]
                links.suites = [suitePath]
                stub.folder = Self.folder.appending(path: "stub").path
                stub.unmatched = .strict
            }
        ) { stub in
            for one in suite.cases {
                let message = JSONNode.object(["url": .string(one.link), "context": one.context])
                let answer = try await stub.resolve(message.json())
                for expectation in one.expectations {
                    let difference = expectation.difference(in: answer)
                    #expect(difference == nil, "\(one.link): \(expectation.key.rawValue) is \(difference ?? "")")
                }
            }
            // The backend of the app is the folder's stubs.
            #expect(try await stub.get("/api/product/123").status == 200)
            #expect(!stub.server.report.isFailed)
            let page = try await stub.get("/__links").text
            #expect(page.contains("Link \(suite.cases.count)") && page.contains("catalog://products?premium"))
        }
    }
}
