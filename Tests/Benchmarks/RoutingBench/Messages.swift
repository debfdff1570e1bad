import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer

/// The JSON of `POST /resolve`, read and written by the service's code and, for comparison, by Foundation's coders with
/// types that have the same members.
struct Messages {
    static let names = ["read", "read-foundation", "write", "write-foundation"].map { "message/\($0)" }

    private let bodies: [[UInt8]]
    private let answers: [ResolveResponse]

    init(bodies file: String, tenant: String) throws {
        bodies = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map { Array($0.utf8) }
        let document = try TenantDocument(try String(contentsOfFile: tenant, encoding: .utf8))
        let checked = document.checked()
        guard let id = document.tenant, let settings = checked.settings, let table = checked.table else {
            throw InputError(description: "\(tenant) is not a tenant with settings and a table: \(checked.findings)")
        }
        let published = PublishedTable(
            tenant: id,
            environment: .production,
            revision: Revision(rawValue: 1),
            settingsRevision: 1,
            settings: settings,
            table: table
        )
        let catalog = Catalog([published])
        answers = try bodies.map { body in
            let message = try Self.read(body)
            guard case .link(let link) = message.subject else {
                throw InputError(description: "\(file): a body does not contain exactly one link.")
            }
            var answer = ResolveResponse(catalog.resolve(link.url, in: message.context, explanation: .omitted))
            answer.id = "01980000-0000-7000-8000-000000000000"
            answer.isRecorded = true
            return answer
        }
    }

    func workload(_ name: String) throws -> Workload {
        let bodies = bodies
        let answers = answers
        switch name {
        case "message/read":
            return Workload(name: name, operations: bodies.count) {
                var sum = 0
                for body in bodies { if let message = try? Self.read(body) { sum &+= message.warnings.count + 1 } }
                return sum
            }
        case "message/read-foundation":
            let bodies = bodies.map { Data($0) }
            for body in bodies { _ = try JSONDecoder().decode(Question.self, from: body) }
            return Workload(name: name, operations: bodies.count) {
                var sum = 0
                for body in bodies {
                    if let message = try? JSONDecoder().decode(Question.self, from: body) {
                        sum &+= message.url.utf8.count
                    }
                }
                return sum
            }
        case "message/write":
            // Each answer is captured by its own closure, as if it had just been created. Reading it from an array would
            // copy it for each call, which costs a tenth of writing it.
            let writes = answers.map { answer in { answer.json().count } }
            return Workload(name: name, operations: writes.count) {
                var sum = 0
                for write in writes { sum &+= write() }
                return sum
            }
        default:
            let answers = try answers.map { try JSONDecoder().decode(Answer.self, from: Data($0.json())) }
            return Workload(name: name, operations: answers.count) {
                var sum = 0
                for answer in answers { if let data = try? JSONEncoder().encode(answer) { sum &+= data.count } }
                return sum
            }
        }
    }

    /// Reads a body, as `POST /resolve` does.
    private static func read(_ body: [UInt8]) throws -> ResolveRequest {
        let limits = JSONReader.Limits(maximumBytes: 16_384, maximumDepth: 32)
        return try body.withUnsafeBufferPointer { try ResolveRequest($0, limits: limits) }
    }
}

private struct Question: Decodable {
    var url: String
    var context: Caller

    struct Caller: Decodable {
        var platform: String
        var app: String?
        var appVersion: String?
        var locale: [String]?
    }
}

private struct Answer: Codable {
    var id: String
    var recorded: Bool
    var outcome: String
    var action: String?
    var tenant: String
    var environment: String
    var revision: Int
    var validFor: Int
    var route: Route?
    var parameters: [String: Int]
    var app: String?
    var destination: Destination?

    struct Route: Codable {
        var id: String
        var pattern: String
    }

    struct Screen: Codable {
        var screen: String
        var arguments: [String: Int]?
    }

    struct Destination: Codable {
        var screen: String
        var arguments: [String: Int]
        var stack: [Screen]?
        var uri: String?
        var web: String?
        var store: String?
        var fallbacks: [String]
    }
}
