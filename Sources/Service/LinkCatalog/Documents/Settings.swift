import Foundation
package import LinkRouting

/// A tenant's identity and policy. Writing them needs the scope `admin`. They have their own revision counter; rolling
/// back a table does not change them.
package struct Settings: Sendable, Hashable {
    package var identity: Identity
    /// Environments that tables may be published in, in addition to `production` and to those that apps name.
    package var environments: [EnvironmentID]
    package var privacy: Privacy
    package var export: Export
    package var retentionDays: Int
    package var explain: Explain
    package var whenLogFails: WhenLogFails
    package var clientKey: ClientKey
    /// The client-key policy of all environments but production. Their tables are not public.
    package var environmentKey: ClientKey
    /// The version of the oldest engine in an app that must understand the tables; nil for none.
    package var minimumClient: Version?
    package var shortLinks = ShortLinks()
    package var brand = Brand()
    /// Where people report a page; nil for nowhere.
    package var abuseContact: Contact?

    /// Who may make short links.
    package struct ShortLinks: Sendable, Hashable {
        /// The routes that apps may link to.
        package var apps: Set<RouteID> = []
    }

    /// The details of links and callers that events record.
    package struct Privacy: Sendable, Hashable {
        /// Names of query items whose values are recorded. No other value is ever recorded.
        package var recordQuery: Set<ExactText>
        /// Names of traits whose values are recorded. No other value is ever recorded.
        package var recordTraits: Set<ExactText> = []
        /// Whether events distinguish installs, by the `stickyKey` keyed with the tenant's install key.
        package var recordInstall = false
        package var address: Address
        package var unmatchedPath: UnmatchedPath

        package enum Address: String, Sendable, CaseIterable {
            case truncated, keyed, none
        }

        package enum UnmatchedPath: String, Sendable, CaseIterable {
            case full
            /// Segments are recorded as types, such as `/product/{slug}`. Only words of the table's own patterns are
            /// recorded as they are.
            case shape
            case firstSegment, none
        }
    }

    /// The schedule and the format of exports.
    package struct Export: Sendable, Hashable {
        package var schedule: Schedule
        package var format: Format
        /// The zlib compression level, 1 to 9.
        package var level: Int

        package enum Schedule: Sendable, Hashable {
            case off
            case hourly
            /// Once a day, at an hour and minute in an IANA time zone.
            case daily(hour: Int, minute: Int, zone: String)
        }

        package enum Format: String, Sendable, CaseIterable {
            case ndjson, csv
        }
    }

    /// The callers that may request the reasons why routes did not match.
    package enum Explain: String, Sendable, CaseIterable {
        /// Explanations need a key of scope `explain`.
        case key
        /// Every caller may ask for explanations. Traces reveal unpublished paths.
        case `public`
    }

    /// The answer to requests while events cannot be recorded.
    package enum WhenLogFails: String, Sendable, CaseIterable {
        /// Answer with `"recorded": false`. The default: a full disk must not take the links down.
        case answer
        /// Answer with 503: nothing is answered without being recorded.
        case refuse
    }

    /// Whether callers need a key to resolve links.
    package enum ClientKey: String, Sendable, CaseIterable {
        /// Every caller may resolve.
        case optional
        /// `POST /resolve` needs a key of scope `resolve`; clicks do not.
        case required
    }

    /// Maximum number of environments of a tenant besides `production`: those in the settings and those with a live
    /// table.
    package static let mostEnvironments = 16

    package static let keys =
        Identity.keys + [
            "environments", "privacy", "export", "retentionDays", "explain", "whenLogFails", "clientKey",
            "environmentKey", "minimumClient", "shortLinks", "brand", "abuse",
        ]

    /// Maximum number of entries of each list, in settings.
    private static let mostEntries: [(keys: [String], count: Int)] = [
        (["domains"], 1_000), (["schemes"], 256), (["apps"], 256), (["destinations", "schemes"], 1_000),
        (["destinations", "hosts"], 1_000), (["privacy", "recordQuery"], 256), (["privacy", "recordTraits"], 256),
        (["shortLinks", "apps"], 256),
    ]

    /// The errors of settings; at least one, and at most ``ErrorList/maximumCount``.
    package struct DecodingErrors: Error, Hashable, Sendable, CustomStringConvertible {
        package var errors: [DocumentError]
        package var description: String { errors.map(\.description).joined(separator: "\n") }

        package init(_ errors: [DocumentError]) { self.errors = errors }
    }

    /// Reads a settings object. Reading continues after an error, so that errors are reported together.
    package init(_ field: DocumentField) throws(DecodingErrors) {
        try self.init(field, refusal: \.refusal)
    }

    /// Reads settings that were validated before they were stored. Their domains stay when a later list of public
    /// suffixes refuses them.
    package init(stored content: JSONNode) throws(DecodingErrors) {
        try self.init(DocumentField(content, path: "settings")) { _ in nil }
    }

    private init(_ field: DocumentField, refusal: (Domain) -> String?) throws(DecodingErrors) {
        var errors = ErrorList()
        guard let object = errors.read({ () throws(DocumentError) in try Self.object(field) }) else {
            throw DecodingErrors(errors.errors)
        }
        /// Reads a member; nil if it is missing or has an error.
        func member<Value>(_ key: String, _ read: (DocumentField) throws(DocumentError) -> Value) -> Value? {
            guard let field = object[key] else { return nil }
            return errors.read { () throws(DocumentError) in try read(field) }
        }
        for error in object.unknownKeys(besides: Self.keys).prefix(ErrorList.maximumCount) { errors.add(error) }
        identity = Identity(object, &errors, refusal: refusal)
        environments = member("environments", Self.environments) ?? []
        privacy =
            member("privacy", Privacy.init) ?? Privacy(recordQuery: [], address: .truncated, unmatchedPath: .shape)
        export = member("export", Export.init) ?? Export(schedule: .hourly, format: .ndjson, level: 6)
        retentionDays =
            member("retentionDays") { field throws(DocumentError) in
                Int(try field.int(in: 1...36_500))
            } ?? 400
        explain = member("explain") { field throws(DocumentError) in try field.choice(Explain.self) } ?? .key
        whenLogFails =
            member("whenLogFails") { field throws(DocumentError) in try field.choice(WhenLogFails.self) } ?? .answer
        clientKey =
            member("clientKey") { field throws(DocumentError) in try field.choice(ClientKey.self) } ?? .optional
        environmentKey =
            member("environmentKey") { field throws(DocumentError) in try field.choice(ClientKey.self) } ?? .required
        minimumClient = member("minimumClient") { (field: DocumentField) throws(DocumentError) -> Version in
            guard let version = Version(try field.text()) else {
                throw field.error("\(field.shown) is not the version of an engine; write one such as \"1.0\".")
            }
            return version
        }
        shortLinks = member("shortLinks", ShortLinks.init) ?? ShortLinks()
        brand = member("brand", Brand.init) ?? Brand()
        abuseContact = member("abuse", Contact.init)
        guard errors.errors.isEmpty else { throw DecodingErrors(errors.errors) }
    }

    private static func object(_ field: DocumentField) throws(DocumentError) -> ObjectField {
        try refuseLongLists(field)
        return try field.anyObject()
    }

    private static func refuseLongLists(_ field: DocumentField) throws(DocumentError) {
        for (keys, count) in mostEntries {
            var list = field
            for key in keys { list = DocumentField(list.node[key] ?? .null, path: "\(list.path).\(key)") }
            guard (list.node.elements?.count ?? 0) <= count else {
                throw list.error("the list has more than \(count) entries; remove some.")
            }
        }
    }

    private static func environments(_ field: DocumentField) throws(DocumentError) -> [EnvironmentID] {
        let environments = try field.list().map { field throws(DocumentError) in
            try field.identifier(EnvironmentID.self)
        }
        guard environments.count <= mostEnvironments else {
            throw field.error(
                "a tenant has at most \(mostEnvironments) environments besides 'production'; remove some."
            )
        }
        return environments
    }

    /// Every environment that the settings name, including `production`. Environments with a live table are known as
    /// well, but not included here.
    package var namedEnvironments: Set<EnvironmentID> {
        Set(environments).union(identity.apps.flatMap { $0.environments ?? [] }).union([.production])
    }
}

extension Settings.Privacy {
    package static let keys = ["recordQuery", "recordTraits", "recordInstall", "ip", "unmatchedPath"]

    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object(Self.keys)
        func names(_ key: String) throws(DocumentError) -> Set<ExactText> {
            var names: Set<ExactText> = []
            for field in try object[key]?.list() ?? [] { names.insert(ExactText(try field.text())) }
            return names
        }
        recordQuery = try names("recordQuery")
        recordTraits = try names("recordTraits")
        recordInstall = try object["recordInstall"]?.bool() ?? false
        address = try object["ip"]?.choice(Address.self) ?? .truncated
        unmatchedPath = try object["unmatchedPath"]?.choice(UnmatchedPath.self) ?? .shape
    }
}

extension Settings.ShortLinks {
    package static let keys = ["apps"]

    init(_ field: DocumentField) throws(DocumentError) {
        for field in try field.object(Self.keys)["apps"]?.list() ?? [] {
            apps.insert(try field.identifier(RouteID.self))
        }
    }
}

extension Settings.Export {
    package static let keys = ["schedule", "at", "zone", "format", "level"]

    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object(Self.keys)
        let schedule = try object["schedule"]?.text() ?? "hourly"
        switch schedule {
        case "hourly", "off":
            for key in ["at", "zone"] {
                if let field = object[key] {
                    throw field.error("'\(key)' is valid only with schedule: daily; remove it.")
                }
            }
            self.schedule = schedule == "off" ? .off : .hourly
        case "daily":
            guard let at = object["at"] else {
                throw field.error("a daily export needs its time of day; add 'at', such as \"02:00\".")
            }
            let parts = try at.text().split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
                let minute = Int(parts[1]),
                (0..<24).contains(hour), (0..<60).contains(minute)
            else { throw at.error("\(at.shown) is not a time of day; write one such as \"02:00\".") }
            let zone = try object["zone"]?.text() ?? "UTC"
            guard zone.isTimeZoneName, TimeZone(identifier: zone) != nil else {
                throw try object.required("zone").error(
                    "'\(zone)' is not a time zone; write one such as Europe/Paris or UTC."
                )
            }
            self.schedule = .daily(hour: hour, minute: minute, zone: zone)
        default:
            throw try object.required("schedule").error("'\(schedule)' is not one of: hourly, daily, off.")
        }
        format = try object["format"]?.choice(Format.self) ?? .ndjson
        level = Int(try object["level"]?.int(in: 1...9) ?? 6)
    }
}
