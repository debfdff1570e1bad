import LinkRouting

/// Clients that ask as fast as they are answered, each on a connection of its own. Every third request is a batch whose links
/// belong to two tenants: its rows lie in the exports of both, and all of them are committed or none.
struct FaultLoad: Sendable {
    static let tenants = ["blogs", "shop"]

    let server: RunningServer
    let history: RequestHistory
    /// What the request ids begin with: every load on one history has a name of its own.
    let name: String
    var clients = 8
    /// How many requests each client sends at most.
    var requests = 20_000

    struct Answer: Sendable {
        let response: HTTPConnection.Response
        /// How many requests of the history were acknowledged when this one was.
        let acknowledged: Int
    }

    enum Verdict { case goOn, stop }

    /// Returns when every client has ended: its connection broke, `judge` stopped it, or it has asked often enough.
    func run(_ judge: @escaping @Sendable (Answer) -> Verdict = { _ in .goOn }) async {
        await onThreads(clients) { client in
            guard let connection = try? HTTPConnection(port: server.publicPort) else { return }
            for number in 0..<requests {
                guard let answer = try? ask(connection, client, number), judge(answer) == .goOn else { return }
            }
        }
    }

    /// One request on a connection of its own.
    @discardableResult
    func once(_ number: Int = 0) throws -> Answer { try ask(HTTPConnection(port: server.publicPort), 0, number) }

    private func ask(_ connection: HTTPConnection, _ client: Int, _ number: Int) throws -> Answer {
        let id = "\(name)-\(client)-\(number)"
        let links = number % 3 == 2 ? (0..<5).map { Self.link(number + $0) } : [Self.link(number)]
        history.attempt(id, links: links.count)
        let body =
            links.count == 1
            ? #"{"url":"\#(links[0])"}"# : #"{"links":[\#(links.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        let response = try connection.request("POST", "/resolve", headers: ["X-Request-ID": id], body: body)
        guard response.status == 200 else {
            history.refuse(id, status: response.status)
            return Answer(response: response, acknowledged: history.acknowledgedCount)
        }
        let answer = try response.json()
        let events = (answer["results"]?.elements ?? [answer]).compactMap { $0["id"]?.text }
        return Answer(response: response, acknowledged: history.acknowledge(id, events: events))
    }

    private static func link(_ number: Int) -> String {
        number % 2 == 0 ? generatedLink(number) : "deeplink://article/\(number)"
    }
}
