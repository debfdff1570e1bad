import LinkCatalog
import LinkEvents
import LinkRouting

/// The recorded parts of an event's link and context. Events with equal parts get the same answer, except for the time.
struct RecordedLink: Sendable, Hashable {
    private let scheme: String
    /// Nil for a custom scheme.
    private let host: RecordedText?
    private let segments: [RecordedText]
    private let query: [Event.QueryItem]
    /// Whether the first segment may be written as the host of its custom scheme.
    private let mayBeginWithHost: Bool
    private let facts: Facts
    /// Size of the recorded text of the link.
    let byteCount: Int
    /// The route and the outcome that were recorded.
    let route: RouteID?
    let outcome: Outcome
    /// Whether the link was answered from this version of the table and the settings.
    let isOfTable: Bool
    /// Whether segments of an unmatched link were excluded or replaced by their types, or may have been.
    private(set) var isCut = false

    private struct Facts: Sendable, Hashable {
        let app: AppID?
        let platform: Platform?
        let device: Device?
        let osVersion: String?
        let appVersion: String?
        let appBuild: Int64?
        /// The recorded traits: a JSON object.
        let traits: String?
        let locale: String?
        let country: String?
        let installed: Bool

        var traitsNode: JSONNode? {
            traits.flatMap { try? JSONReader.parse($0, limits: JSONReader.Limits(maximumBytes: 1 << 20)) }
        }
    }

    /// Why an event cannot be replayed.
    enum Hidden: String, Error, CaseIterable {
        /// The text of a rejected link is never recorded.
        case rejected
        /// The settings exclude the paths of unmatched links from the log.
        case noPath
        /// Segments of an unmatched link were excluded or replaced by their types, or may have been.
        case pathCut
        /// No stand-in for a sensitive value makes the live table choose the recorded route.
        case sensitive
        /// The live table now answers differently, because a fact that decides was not recorded.
        case notReproduced
        /// The recorded parts form no valid link.
        case unreadable
    }

    /// - Parameter table: The table to resolve the link with.
    /// - Throws: ``Hidden`` if nothing of the link can be resolved.
    init(_ event: Event, table: PublishedTable) throws(Hidden) {
        guard event.outcome != .rejected, let scheme = event.scheme else { throw .rejected }
        guard let path = event.path else { throw .noPath }
        self.scheme = scheme
        host = event.host.map { RecordedText($0) }
        // The root is recorded as a path without segments.
        segments =
            path == "/"
            ? [] : path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { RecordedText($0) }
        query = event.query
        byteCount = path.utf8.count + query.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        mayBeginWithHost =
            table.settings.identity.schemes.first { $0.name == scheme }.map { $0.hosts == .segment } ?? false
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
        isOfTable = event.revision == table.revision && event.settingsRevision == table.settingsRevision
        isCut = outcome != .matched && (segments.contains { !$0.withheld.isEmpty } || mayBeCut(event, table))
    }

    /// Whether an unmatched link may have had more segments than were recorded, according to its length.
    private func mayBeCut(_ event: Event, _ table: PublishedTable) -> Bool {
        guard segments.count == 1 else { return false }
        let isWhole =
            event.settingsRevision == table.settingsRevision && table.settings.privacy.unmatchedPath == .full
        // One byte more may be a trailing slash; another segment takes at least two.
        return !isWhole && event.linkLength > shown.utf8.count + 1
    }

    // MARK: Link

    /// The parameter names of the sensitive values that the link had.
    var withheld: [String] {
        (host?.withheld ?? []) + segments.flatMap(\.withheld)
    }

    /// The link for people, as far as it is recorded, with `{name}` for a value that is not.
    var shown: String { text(filledBy: { "{\($0)}" }) }

    /// Returns the link with these values in the place of sensitive ones; nil if one is missing.
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
            // A first segment that cannot be a host follows an empty host.
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

    // MARK: Context

    func context(at instant: Timestamp) -> LinkContext {
        LinkContext(
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

    /// The context as `POST /resolve` takes it, so that a sample can be tried.
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
    /// The texts of a single string or of a list.
    fileprivate var texts: [String] { elements?.compactMap(\.text) ?? text.map { [$0] } ?? [] }
}
