import LinkRouting
import TestSupport

/// Clients that send requests as fast as they are answered, each on its own connection. Every third request is a batch
/// with links of two tenants. Its rows are exported for both tenants and must be committed completely or not at all. Before
/// every fiftieth request, a client creates a short link, clicks it, and pastes it into an app. A chat's program makes half
/// of the clicks, and gets a preview.
struct FaultLoad: Sendable {
    static let tenants = ["blogs", "shop"]
    /// The shop's host for clicks.
    static let clickHost = "go.yourappdomain.com"

    let server: RunningServer
    let history: RequestHistory
    /// The prefix of the request ids, unique within a history.
    let name: String
    /// Creates the short links.
    let key: String
    var clients = 8
    /// The maximum number of requests per client.
    var requests = 20_000

    struct Answer: Sendable {
        let response: HTTPConnection.Response
        /// How many requests of the history were acknowledged at the time of this answer.
        let acknowledged: Int
    }

    enum Verdict { case proceed, stop }

    /// Returns when every client has ended: its connection broke, `judge` stopped it, or it has sent all its requests.
    func run(_ judge: @escaping @Sendable (Answer) -> Verdict = { _ in .proceed }) async {
        await onThreads(clients) { client in
            guard let connection = try? HTTPConnection(port: server.publicPort),
                let admin = try? HTTPConnection(port: server.adminPort)
            else { return }
            for number in 0..<requests {
                let code = "\(name)-\(client)-\(number)-link"
                if number.isMultiple(of: 50),
                    (try? follow(connection, admin, code, asChat: number.isMultiple(of: 100))) == nil
                {
                    return
                }
                guard let answer = try? ask(connection, client, number), judge(answer) == .proceed else { return }
            }
        }
    }

    /// Sends one request on its own connection.
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

    /// Creates a short link and clicks it.
    private func follow(
        _ connection: HTTPConnection,
        _ admin: HTTPConnection,
        _ code: String,
        asChat isChat: Bool
    ) throws {
        let made = try admin.request(
            "POST",
            "/admin/v1/tenants/shop/short-links",
            headers: ["Authorization": "Bearer \(key)", "Content-Type": "application/json"],
            body:
                #"{"code":"\#(code)","target":"https://\#(Self.clickHost)/product/7","preview":{"title":"\#(code)"}}"#
        )
        guard made.status == 201 else { return }
        history.create(code)
        history.attempt(code)
        let clicked = try connection.request(
            "GET",
            "/s/\(code)",
            host: Self.clickHost,
            headers: ["X-Request-ID": code, "User-Agent": isChat ? "Twitterbot/1.0" : "curl/8"]
        )
        guard clicked.status == (isChat ? 200 : 302) else { return }
        history.click(code)
        try paste(code, connection)
    }

    /// Asks for a link as an app does after its installation: once, and again, which stores nothing.
    private func paste(_ code: String, _ connection: HTTPConnection) throws {
        let id = "\(code)-install"
        history.attempt(id)
        func ask(_ request: String) throws -> HTTPConnection.Response {
            try connection.request(
                "POST",
                "/_fp/installs",
                headers: ["X-Request-ID": request],
                body:
                    #"{"tenant":"shop","app":"ios","install":"\#(id)","link":"https://\#(Self.clickHost)/s/\#(code)"}"#
            )
        }
        let first = try ask(id)
        guard first.status == 200, let event = try first.json()["answer"]?["id"]?.text else {
            history.refuse(id, status: first.status)
            return
        }
        history.acknowledge(id, events: [event])
        // The history knows no such request, so that a row of it would be an invented one.
        _ = try ask("\(id)-again")
    }

    private static func link(_ number: Int) -> String {
        number % 2 == 0 ? generatedLink(number) : "deeplink://article/\(number)"
    }
}
