import Foundation
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import LinkServer
import NIOCore

/// A request for a page.
struct Visit: Sendable {
    var request: Request
    let context: ServerRequestContext
    /// Whether people come through https, so that browsers take a cookie for https only.
    let isSecure: Bool
    /// Nil before the person has signed in.
    var signed: Sessions.Signed?
    /// What the person has sent in a form.
    private(set) var form: [String: String] = [:]
    private let api: InternalEndpoints

    /// The most bytes of a form: of people who have signed in, and of everybody.
    private static let maximumFormBytes = (ofSession: 1 << 20, ofAnybody: 256 << 10)
    /// The most bytes of a form that is kept while a person signs in again, which encodes it twice.
    private static let maximumSent = 80 << 10
    /// Without https, browsers refuse cookies with the prefix.
    static let cookies = (secure: "__Host-fingerpost", plain: "fingerpost")

    init(_ request: Request, _ context: ServerRequestContext, _ api: InternalEndpoints, isSecure: Bool) {
        self.request = request
        self.api = api
        self.isSecure = isSecure
        self.context = context
    }

    var tenant: String { parameter("tenant") }

    /// A part of the page's path.
    func parameter(_ name: String) -> String { context.parameter(name)?.removingPercentEncoding ?? "" }

    /// Where people sign in.
    var signInAddress: String {
        "\(isSecure ? "https" : "http")://\(request.head.authority ?? "")/console"
    }

    /// The path and the query.
    var place: String { request.uri.string }

    var query: [String: String] { Self.fields((request.uri.query ?? "").utf8) }

    /// Where the person wanted to go; never to another host.
    var next: String { query["next"].flatMap(Self.place(named:)) ?? "/console" }

    /// Returns a place of the console; nil for any other text.
    static func place(named text: String) -> String? {
        let isPlace = text == "/console" || text.hasPrefix("/console/") || text.hasPrefix("/console?")
        return isPlace && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") } ? text : nil
    }

    /// The token in the cookie.
    var token: SessionToken? {
        let pairs = (request.headers[.cookie] ?? "").split(separator: ";").map { pair in
            pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return pairs.first { $0.first == (isSecure ? Self.cookies.secure : Self.cookies.plain) }.flatMap { pair in
            pair.count == 2 ? SessionToken(pair[1]) : nil
        }
    }

    /// Whether the host is that of the console. Other names that lead to this machine, as a hostile site may have, are not.
    func isOfConsole(at address: ConsoleAddress?) -> Bool {
        guard let authority = request.head.authority?.lowercased() else { return false }
        if let address { return authority == address.host }
        let host =
            authority.hasPrefix("[") ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        return ["localhost", "127.0.0.1", "::1"].contains(String(host))
    }

    /// Whether the page that sent the request is on another site.
    var isFromAnotherSite: Bool {
        let site = request.headers[.secFetchSite]
        if let site, !["same-origin", "none"].contains(site) { return true }
        guard let origin = request.headers[.origin], let authority = request.head.authority else { return false }
        // A page that sends no referrer has no origin either.
        if origin == "null", site == "same-origin" { return false }
        return !["http://\(authority)", "https://\(authority)"].contains(origin)
    }

    mutating func readForm() async throws {
        let body = try await request.body(
            upTo: signed == nil ? Self.maximumFormBytes.ofAnybody : Self.maximumFormBytes.ofSession
        )
        form = Self.fields(body.readableBytesView)
    }

    /// Reads `a=b&c=d`; of fields with the same name, the first. No page has more fields than are read.
    static func fields(_ text: some Collection<UInt8>) -> [String: String] {
        let pairs = text.split(separator: UInt8(ascii: "&"), maxSplits: maximumFields).prefix(maximumFields).map {
            pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static let maximumFields = 100

    private static func decoded(_ text: some Collection<UInt8>) -> String {
        let spaced = String(decoding: text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        return spaced.removingPercentEncoding ?? spaced
    }

    /// What the fields of the page's form contain: what was sent, or what the address asks for.
    var typed: [String: String] { request.method == .post ? form : query }

    /// The form as text, without the token of the session that has ended; nil if it is too large to be kept.
    var sent: String? {
        var query: Query = []
        query.items = form.filter { $0.key != "formToken" }.sorted { $0.key < $1.key }.map { ($0, $1) }
        return query.text.utf8.count <= Self.maximumSent ? query.text : nil
    }

    /// The text of a field without spaces around it; nil if there is none.
    func field(_ name: String) -> String? {
        let text = (typed[name] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    // MARK: The admin API

    /// The items of an address. Those without a value are left out.
    struct Query: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, Sendable {
        var items: [(name: String, value: String?)]

        init(dictionaryLiteral items: (String, String?)...) { self.items = items.map { ($0, $1) } }
        init(arrayLiteral items: (String, String?)...) { self.items = items.map { ($0, $1) } }

        static func + (first: Self, second: Self) -> Self {
            var sum = first
            sum.items += second.items
            return sum
        }

        var text: String {
            items.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }.joined(separator: "&")
        }
    }

    /// The target of a request for the tenant.
    ///
    /// - Parameter path: For example `/drafts`, with the parts encoded.
    func target(_ path: String, _ query: Query = []) -> String {
        let text = query.text
        return "/admin/v1/tenants/\(tenant.percentEncodedPart)\(path)\(text.isEmpty ? "" : "?" + text)"
    }

    /// The address of a page of the tenant.
    func place(_ path: String, _ query: Query = []) -> String {
        "/console/" + target(path, query).dropFirst("/admin/v1/tenants/".count)
    }

    /// Asks the admin API in the person's name. Throws ``RefusedRequest``.
    func get(_ target: String) async throws -> JSONNode { try await ask("GET", target) }

    func ask(_ method: String, _ target: String, _ body: JSONNode? = nil, ifMatch: String? = nil) async throws
        -> JSONNode
    {
        let answer = try await send(
            method,
            target,
            body.map { ("application/json", $0.json()) },
            ifMatch: ifMatch
        )
        return answer.body.isEmpty ? .null : try answer.json
    }

    /// Asks the admin API with a body of any type, for an answer of any type. Throws ``RefusedRequest``.
    func send(
        _ method: String,
        _ target: String,
        _ body: (type: String, text: String)? = nil,
        ifMatch: String? = nil,
        accept: String? = nil
    ) async throws -> APIAnswer {
        guard let signed else { throw Problem.missingKey }
        var headers = [("Authorization", signed.authorization)]
        if let body { headers.append(("Content-Type", body.type)) }
        if let ifMatch { headers.append(("If-Match", ifMatch.hasPrefix("\"") ? ifMatch : "\"\(ifMatch)\"")) }
        if let accept { headers.append(("Accept", accept)) }
        let (status, fields, bytes) = try await api.answer(method, target, headers, Array((body?.text ?? "").utf8))
        let answer = APIAnswer(headers: fields, body: bytes)
        guard (200..<300).contains(status) else {
            throw RefusedRequest(
                status: HTTPResponse.Status(code: status),
                body: try answer.json,
                hasPlaces: body?.type == "application/yaml"
            )
        }
        return answer
    }

    /// Asks the admin API for an answer of any length, or for server-sent events after the one that the browser has read last.
    /// Throws ``RefusedRequest``.
    func stream(_ target: String) async throws -> Response {
        guard let signed else { throw Problem.missingKey }
        var headers = [("Authorization", signed.authorization)]
        if let id = request.headers[.lastEventID] { headers.append(("Last-Event-ID", id)) }
        let answer = try await api.response(to: "GET", target, headers, [])
        guard answer.status == .ok else {
            throw RefusedRequest(answer.status.code, "The server does not send this now; reload the page.")
        }
        return answer
    }

    /// The answers to several requests, by their names in the template. `missing` says which of them the key may not read, or
    /// which do not exist yet.
    func answers(_ targets: KeyValuePairs<String, String>) async throws -> [String: any Sendable] {
        var values: [String: any Sendable] = [:]
        var missing: [String] = []
        for (name, target) in targets {
            do {
                values[name] = try await get(target).shown
            } catch let refusal as RefusedRequest where [.forbidden, .conflict].contains(refusal.status) {
                missing.append(refusal.detail)
            }
        }
        values["missing"] = missing
        return values
    }
}

/// What the admin API has answered.
struct APIAnswer {
    let headers: HTTPFields
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var version: String? { headers[.eTag] }

    var json: JSONNode {
        get throws { try JSONReader.parse(body, limits: JSONReader.Limits(maximumBytes: 1 << 28)) }
    }
}

/// The problem with which the admin API has answered.
struct RefusedRequest: Error {
    let status: HTTPResponse.Status
    let body: JSONNode
    /// Whether the person has written the text to whose lines the problem refers.
    let hasPlaces: Bool

    init(status: HTTPResponse.Status, body: JSONNode, hasPlaces: Bool = false) {
        self.status = status
        self.body = body
        self.hasPlaces = hasPlaces
    }

    /// A mistake in what was typed that the admin API is not asked about.
    init(_ status: Int, _ detail: String) {
        self.init(status: HTTPResponse.Status(code: status), body: .object(["detail": .string(detail)]))
    }

    var title: String { body["title"]?.text ?? "refused" }
    /// What is wrong. Positions in JSON that nobody has written, and advice for a terminal, are left out.
    var detail: String {
        let text = body["detail"]?.text ?? "The request was refused."
        guard body["keyScopes"] == nil else {
            return String(text.prefix { $0 != "." }) + ". Ask the person who gave it to you."
        }
        return hasPlaces ? text : String(text.trimmingPrefix(#/line \d+, column \d+: /#))
    }
    var findings: [JSONNode] { body["findings"]?.elements ?? [] }

    /// The lines of the text that was refused, each with its findings; empty if no finding names a line.
    func listing(of text: String) -> [any Sendable] {
        let findings = Dictionary(grouping: findings.filter { $0["line"] != nil }) { $0["line"]?.int ?? 0 }
        guard !findings.isEmpty else { return [] }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).prefix(Self.maximumLines)
        return lines.enumerated().map { index, line in
            [
                "text": String(line),
                "findings": (findings[Int64(index) + 1] ?? []).map { $0.shown ?? "" } as [any Sendable],
            ] as [String: any Sendable]
        }
    }

    private static let maximumLines = 2_000
}

extension String {
    /// The text as the value of a query item.
    var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
    }

    /// The text as one part of a path.
    var percentEncodedPart: String {
        addingPercentEncoding(withAllowedCharacters: Self.unreserved.subtracting(["/", ":"])) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:"
    )
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name.constant("Last-Event-ID")
    static let secFetchSite = HTTPField.Name.constant("Sec-Fetch-Site")
    static let referrerPolicy = HTTPField.Name.constant("Referrer-Policy")
    static let contentTypeOptions = HTTPField.Name.constant("X-Content-Type-Options")
}
