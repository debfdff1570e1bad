import LinkRouting
import StubMatching

/// The facts of a session that apply to all its links, so that a test does not depend on the app or the time.
struct LinkFacts: Sendable {
    /// The time of the session; nil for that of the server.
    private(set) var clock: Timestamp?
    /// Members of the context of `POST /resolve`, which replace those that the app sends.
    private var context: [JSONNode.Member] = []
    /// The country of clicks.
    private(set) var country: String?

    init() {}

    /// Reads `{clock, context}`.
    init(_ field: MappingField) throws(MappingError) {
        try field.requireKeys(["clock", "context"])
        if let text = try field["clock"]?.text() {
            guard let instant = Timestamp(text) else {
                throw field["clock"]?.error("write a time such as 2026-01-01T00:00:00Z.") ?? field.error("wrong clock")
            }
            clock = instant
        }
        guard let given = field["context"] else { return }
        guard let members = given.node.members else { throw given.error("write an object.") }
        if let now = members.first(where: { $0.key == "now" }) {
            throw MappingField(now.value, pointer: "\(given.pointer)/now").error("use 'clock' beside 'context'.")
        }
        var warnings: [String] = []
        do {
            country = try LinkContext(DocumentField(given.node, path: "context"), warnings: &warnings).country
        } catch {
            throw given.error(error.description)
        }
        if let warning = warnings.first { throw given.error(warning) }
        context = members
    }

    var json: JSONNode {
        .object([
            "clock": clock.map { .string($0.description) },
            "context": context.isEmpty ? nil : JSONNode(.object(context)),
        ])
    }

    /// Whether the facts leave a body of `POST /resolve` unchanged.
    var changesNoBody: Bool { context.isEmpty }

    /// Adds the context to a message. A body that is not a JSON object is unchanged, so that the endpoint reports it.
    func applied(to body: [UInt8], maximumBytes: Int) -> [UInt8] {
        guard !changesNoBody, body.count <= maximumBytes,
            let message = try? JSONReader.parse(body, limits: JSONReader.Limits(maximumBytes: maximumBytes)),
            let members = message.members
        else { return body }
        let sent = message["context"]
        guard sent == nil || sent?.value == .null || sent?.members != nil else { return body }
        let merged = Self.merged(sent?.members ?? [], context) { key, sent, own in
            // Traits are merged by their names, because an app has some that no test thinks of.
            guard key == "traits", let sent = sent.members, let own = own.members else { return own }
            return JSONNode(.object(Self.merged(sent, own) { _, _, own in own }))
        }
        let others = members.filter { $0.key != "context" }
        let context = JSONNode.Member("context", JSONNode(.object(merged)))
        return Array(JSONNode(.object(others + [context])).json().utf8)
    }

    private static func merged(
        _ sent: [JSONNode.Member],
        _ own: [JSONNode.Member],
        _ combine: (_ key: String, _ sent: JSONNode, _ own: JSONNode) -> JSONNode
    ) -> [JSONNode.Member] {
        let others = sent.filter { member in !own.contains { $0.key.isExactly(member.key) } }
        return others
            + own.map { member in
                let sent = sent.last { $0.key.isExactly(member.key) }?.value
                return JSONNode.Member(member.key, sent.map { combine(member.key, $0, member.value) } ?? member.value)
            }
    }
}
