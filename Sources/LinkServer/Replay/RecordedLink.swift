import LinkCatalog
import LinkEvents
import LinkRouting

/// What an event still says of its link and context. Two events that say the same are answered the same, but for the time.
struct RecordedLink: Sendable, Hashable {
    private let scheme: String
    /// Nil for a custom scheme.
    private let host: RecordedText?
    private let segments: [RecordedText]
    private let query: [Event.QueryItem]
    /// Whether the first segment may be written as the host of its custom scheme.
    private let mayBeginWithHost: Bool
    private let facts: Facts
    /// Of what is recorded of the link's text.
    let byteCount: Int
    /// How the link was answered when it was recorded.
    let route: RouteID?
    let outcome: Outcome
    /// Whether it was answered from the table and the settings that are live now.
    let isOfLiveTable: Bool

    private struct Facts: Sendable, Hashable {
        let app: AppID?
        let platform: Platform?
        let device: Device?
        let osVersion: String?
        let appVersion: String?
        let appBuild: Int64?
        /// As they are recorded: a JSON object.
        let traits: String?
        let locale: String?
        let country: String?
        let installed: Bool

        var traitsNode: JSONNode? {
            traits.flatMap { try? JSONReader.parse($0, limits: JSONReader.Limits(maximumBytes: 1 << 20)) }
        }
    }

    /// Why nothing can be replayed.
    enum Hidden: String, Error, CaseIterable {
        /// Of a rejected link the text is never recorded.
        case rejected
        /// The settings keep the paths of unmatched links out of the log.
        case noPath
        /// All but the first segment of the path was kept out, or may have been.
        case pathCut
        /// A sensitive value has no stand-in with which the live table gives the recorded route.
        case sensitive
        /// The live table answers otherwise now than it did: something that decides was not recorded.
        case notReproduced
        /// What is recorded makes no link.
        case unreadable
    }

    init(_ event: Event, live: PublishedTable) throws(Hidden) {
        guard event.outcome != .rejected, let scheme = event.scheme else { throw .rejected }
        guard let path = event.path else { throw .noPath }
        self.scheme = scheme
        host = event.host.map { RecordedText($0) }
        // The root is written as a path without segments.
        segments =
            path == "/"
            ? [] : path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { RecordedText($0) }
        query = event.query
        byteCount = path.utf8.count + query.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        mayBeginWithHost =
            live.settings.identity.schemes.first { $0.name == scheme }.map { $0.hosts == .segment } ?? false
        facts = Facts(
            app: event.app,
            platform: event.platform,
            device: event.device,
            osVersion: event.osVersion,
            appVersion: event.appVersion,
            appBuild: event.appBuild,
            traits: event.traits,
            locale: event.locale,
            country: event.country,
            installed: event.kind != .click && event.action != .openStore
        )
        route = event.route
        outcome = event.outcome
        isOfLiveTable = event.revision == live.revision && event.settingsRevision == live.settingsRevision
        guard outcome == .matched || !mayBeCut(event, live) else { throw .pathCut }
    }

    /// Whether an unmatched link had more segments than were recorded, as far as its length can tell.
    private func mayBeCut(_ event: Event, _ live: PublishedTable) -> Bool {
        guard segments.count == 1 else { return false }
        let isWhole =
            event.settingsRevision == live.settingsRevision && live.settings.privacy.unmatchedPath == .full
        // One byte more is a trailing slash; another segment takes at least two.
        return !isWhole && event.linkLength > shown.utf8.count + 1
    }

    // MARK: The link

    /// The names of sensitive values that the link had.
    var withheld: [String] {
        (host?.withheld ?? []) + segments.flatMap(\.withheld)
    }

    /// For people: the link as far as it is recorded, with `{name}` for what is not.
    var shown: String { text(filledBy: { "{\($0)}" }) }

    /// The link with these values in the place of sensitive ones; nil where one is missing.
    func text(with value: (_ parameter: String) -> String?) -> String? {
        var values: [String: String] = [:]
        for name in withheld {
            guard let value = value(name) else { return nil }
            values[name] = percentEncoded(Array(value.utf8))
        }
        return text(filledBy: { values[$0] ?? "" })
    }

    private func text(filledBy value: (String) -> String) -> String {
        var text = scheme
        if let host {
            text += "://" + host.filled(by: value) { String(decoding: $0, as: UTF8.self) }
        } else {
            // A first segment that cannot be a host stands behind an empty one.
            text += mayBeginWithHost && segments.first?.isPlainHost == true ? ":/" : "://"
        }
        text += segments.isEmpty ? "/" : ""
        for segment in segments { text += "/" + segment.filled(by: value, encode: percentEncoded) }
        guard !query.isEmpty else { return text }
        let items = query.map { item in
            percentEncoded(Array(item.name.utf8)) + "=" + percentEncoded(Array(item.value.utf8))
        }
        return text + "?" + items.joined(separator: "&")
    }

    // MARK: The context

    func context(at instant: Timestamp) -> Context {
        Context(
            app: facts.app,
            platform: facts.platform,
            device: facts.device,
            osVersion: facts.osVersion.flatMap { Version($0) },
            appVersion: facts.appVersion.flatMap { Version($0) },
            appBuild: facts.appBuild,
            installed: facts.installed,
            locale: facts.locale.flatMap { LanguageTag($0) }.map { [$0] } ?? [],
            country: facts.country,
            traits: Dictionary(
                (facts.traitsNode?.members ?? []).map { ($0.key, $0.value.texts) },
                uniquingKeysWith: { first, _ in first }
            ),
            now: instant
        )
    }

    /// As `POST /resolve` takes it, so that a sample can be tried.
    var contextJSON: JSONNode {
        .object([
            "app": facts.app.map { .string($0.rawValue) }, "platform": facts.platform.map { .string($0.rawValue) },
            "device": facts.device.map { .string($0.rawValue) }, "osVersion": facts.osVersion.map(JSONNode.string),
            "appVersion": facts.appVersion.map(JSONNode.string), "appBuild": facts.appBuild.map { .int(Int($0)) },
            "traits": facts.traitsNode, "locale": facts.locale.map { .array([.string($0)]) },
            "country": facts.country.map(JSONNode.string), "installed": facts.installed ? nil : .bool(false),
        ])
    }
}

extension JSONNode {
    /// One text or a list of them.
    fileprivate var texts: [String] { elements?.compactMap(\.text) ?? text.map { [$0] } ?? [] }
}
