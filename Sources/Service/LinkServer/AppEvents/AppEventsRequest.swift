package import LinkEvents
package import LinkRouting

/// A parsed message of `POST /_fp/events`: decisions that an app's own engine made. Unknown members are ignored and
/// named in `warnings`. A wrong event is refused alone, and does not affect the others.
package struct AppEventsRequest: Sendable {
    /// Maximum number of events of a message.
    package static let maximumEvents = 100
    private static let mostWarnings = WarningList.maximumCount
    private static let versionBytes = 32

    /// Nil where the key or the host of the request names the tenant.
    package let tenant: TenantID?
    package let environment: EnvironmentID
    /// Identifies the install of the app, 1 to 128 bytes. Together with the tenant, it makes a `clientEventId` unique.
    package let install: String
    package let engineVersion: Version
    package let purpose: Event.Purpose
    package let events: [Item]
    package private(set) var warnings: [String] = []

    package struct Item: Sendable {
        /// Nil if it is missing or invalid.
        package let clientEventID: String?
        package let decision: Result<AppDecision, DocumentError>
    }

    private static let keys = [
        "tenant", "environment", "app", "install", "engineVersion", "purpose", "context", "events",
    ]

    /// Reads a message.
    ///
    /// - Throws: A `JSONSyntaxError`, or a `DocumentError` for a member that concerns all events.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONReader.Limits) throws {
        let field = DocumentField(try JSONReader.parse(bytes, limits: limits), path: "")
        let object = try field.anyObject()
        tenant = try object["tenant"]?.identifier(TenantID.self)
        environment = try object["environment"]?.identifier(EnvironmentID.self) ?? .production
        install = try Self.id(object.required("install"))
        engineVersion = try Self.version(object.required("engineVersion"))
        purpose = try object["purpose"]?.choice(CallersPurpose.self).purpose ?? .live
        var warnings = Self.unknown(object, besides: Self.keys)
        var shared = LinkContext()
        shared.app = try object["app"]?.identifier(AppID.self)
        if let context = object["context"] { try shared.read(context, &warnings) }
        let list = try object.required("events")
        let fields = try list.list()
        guard (1...Self.maximumEvents).contains(fields.count) else {
            throw list.error(
                "a message must have 1 to \(Self.maximumEvents) events; use several messages for more."
            )
        }
        var items: [Item] = []
        for field in fields {
            var own: [String] = []
            items.append(Self.item(field, shared, &own))
            if warnings.count < Self.mostWarnings { warnings += own }
        }
        events = items
        self.warnings = Array(warnings.prefix(Self.mostWarnings))
    }

    private static func item(_ field: DocumentField, _ shared: LinkContext, _ warnings: inout [String]) -> Item {
        let id = (try? field.anyObject())?["clientEventId"].flatMap { try? Self.id($0) }
        do throws(DocumentError) {
            return Item(clientEventID: id, decision: .success(try AppDecision(field, shared, &warnings)))
        } catch {
            return Item(clientEventID: id, decision: .failure(error))
        }
    }

    /// Returns an id that the app chooses.
    static func id(_ field: DocumentField) throws(DocumentError) -> String {
        let text = try field.textWithoutNUL()
        guard (1...128).contains(text.utf8.count) else { throw field.error("an id must have 1 to 128 bytes.") }
        return text
    }

    private static func version(_ field: DocumentField) throws(DocumentError) -> Version {
        let text = try field.text()
        guard text.utf8.count <= versionBytes, let version = Version(text) else {
            throw field.error(
                "\(field.shown) is not the version of an engine; write one such as \"1.0\", of at most \(versionBytes) "
                    + "bytes."
            )
        }
        return version
    }

    fileprivate static func unknown(_ object: ObjectField, besides keys: [String]) -> [String] {
        object.unknownKeys(besides: keys).prefix(mostWarnings).map { error in
            ignoredMember(error.path.split(separator: ".").last.map(String.init) ?? "", at: error.path, besides: keys)
        }
    }
}

/// The decision of an app's own engine about a link, and its result in the app.
package struct AppDecision: Sendable {
    package let clientEventID: String
    /// The time by the clock of the device.
    package let occurredAt: Timestamp
    package let url: String
    /// The facts that the engine decided with. `now` is set.
    package let context: LinkContext
    /// The table that decided; nil without one.
    package let revision: Revision?
    package let settingsRevision: Int64?
    /// Never `undecided`: then the app asks `POST /resolve`, which records the link.
    package let outcome: Outcome
    package let action: Action?
    package let route: RouteID?
    package let result: Event.AppResult
    /// The app's word for the failure, such as `no_such_screen`.
    package let reason: String?

    private static let keys = [
        "clientEventId", "occurredAt", "url", "context", "revision", "settingsRevision", "outcome", "action", "route",
        "result", "reason",
    ]

    fileprivate init(
        _ field: DocumentField,
        _ shared: LinkContext,
        _ warnings: inout [String]
    ) throws(DocumentError) {
        let object = try field.anyObject()
        clientEventID = try AppEventsRequest.id(object.required("clientEventId"))
        let time = try object.required("occurredAt")
        guard let instant = Timestamp(try time.text()) else {
            throw time.error("\(time.shown) is not a timestamp; write one such as 2026-11-21T10:00:00.000Z.")
        }
        occurredAt = instant
        url = try object.required("url").text()
        revision = try object["revision"].map { field throws(DocumentError) in
            Revision(rawValue: try field.int(in: 1...Int64.max))
        }
        settingsRevision = try object["settingsRevision"]?.int(in: 0...Int64.max)
        let outcome = try object.required("outcome")
        self.outcome = try outcome.choice(Outcome.self)
        guard self.outcome != .undecided else {
            throw outcome.error("an undecided link is not a decision; send it to POST /resolve, which records it.")
        }
        action = try object["action"]?.choice(Action.self)
        route = try object["route"]?.identifier(RouteID.self)
        result = try object.required("result").choice(Event.AppResult.self)
        reason = try object["reason"].flatMap { field throws(DocumentError) in
            let text = try field.text()
            // A sentence may contain personal data, which is not recorded.
            guard Self.isWord(text) else {
                warnings.append(
                    "\(field.path) was not recorded: a reason is a word of at most 64 a-z, 0-9, '.', '_' and '-'."
                )
                return nil
            }
            return text
        }
        warnings += AppEventsRequest.unknown(object, besides: Self.keys)
        var context = shared
        if let own = object["context"] { try context.read(own, &warnings) }
        context.now = context.now ?? instant
        self.context = context
    }

    private static func isWord(_ text: String) -> Bool { RouteID(text) != nil }
}

extension LinkContext {
    /// Reads the members of a `context` object; others keep their values.
    mutating func read(_ field: DocumentField, _ warnings: inout [String]) throws(DocumentError) {
        for (key, value) in try field.anyObject().all {
            if try !read(key, value, warnings: &warnings), key != "occurredAt",
                warnings.count < WarningList.maximumCount
            {
                warnings.append(ignoredMember(key, at: value.path, besides: LinkContext.Key.names))
            }
        }
    }
}
