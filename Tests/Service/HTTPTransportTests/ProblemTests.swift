import Foundation
import HTTPTransport
import HTTPTypes
import TestSupport
import Testing

/// docs/api.md documents codes and statuses, and the code must match them.
struct ProblemTests {
    @Test func everyCodeIsDocumentedWithItsStatus() throws {
        let file = Repository.file("docs/api.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let documented = text.split(separator: "\n").compactMap { line -> (String, Int)? in
            guard let match = line.wholeMatch(of: #/\| `([a-z_]+)` \| ([0-9]{3}) \| .+ \|/#), let status = Int(match.2)
            else {
                return nil
            }
            return (String(match.1), status)
        }
        let promised = Dictionary(documented) { $1 }
        let actual = Dictionary(Problem.Code.allCases.map { ($0.rawValue, $0.status) }) { $1 }
        #expect(documented.count == promised.count)
        #expect(promised == actual)
    }

    @Test(arguments: Problem.Code.allCases) func statusHasAReasonPhrase(code: Problem.Code) {
        let status = Problem(code, "detail").status
        #expect(status.code == code.status)
        #expect(!status.reasonPhrase.isEmpty)
    }

    @Test func hintsBecomeHeaderFields() {
        var problem = Problem(.rateLimited, "detail")
        problem.hints = [.rateLimit(scope: "address", burst: 2, window: 2, seconds: 1)]
        #expect(problem.headers[.retryAfter] == "1")
        #expect(problem.headers.first { $0.name.rawName == "RateLimit" }?.value == "\"address\";r=0;t=1")
        #expect(problem.headers.first { $0.name.rawName == "RateLimit-Policy" }?.value == "\"address\";q=2;w=2")
    }
}
