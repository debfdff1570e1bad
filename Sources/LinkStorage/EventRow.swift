import GRDB
import LinkEvents
import LinkRouting

/// An event as a row of a day file; the columns of m0001_events.sql in their order.
enum EventRow {
    static let columns = [
        "seq", "id", "recorded_at", "occurred_at", "purpose", "kind", "parent", "client_event_id", "tenant",
        "environment",
        "app", "route", "revision", "settings_revision", "outcome", "action", "reason", "experiment", "variant",
        "scheme",
        "host", "path", "link_length", "query", "parameters", "platform", "device", "os_version", "app_version",
        "app_build", "traits", "locale",
        "country", "referrer_host", "address", "user_agent", "bot_class", "install", "source", "node", "request_id",
        "method",
        "latency_micros",
    ]

    static let insertSQL = """
        INSERT INTO event (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """

    static let selectSQL = "SELECT \(columns.joined(separator: ", ")) FROM event"

    static func arguments(_ event: Event, sequence: Int64) -> StatementArguments {
        [
            sequence, event.id, event.recordedAt.milliseconds, event.occurredAt?.milliseconds, event.purpose.rawValue,
            event.kind.rawValue, event.parent, event.clientEventID, event.tenant.rawValue, event.environment.rawValue,
            event.app?.rawValue, event.route?.rawValue, event.revision?.rawValue, event.settingsRevision,
            event.outcome.rawValue, event.action?.rawValue, event.reason, event.experiment, event.variant, event.scheme,
            event.host, event.path, event.linkLength, ExportSchema.json(of: event.query), event.parameters,
            event.platform?.rawValue, event.device?.rawValue, event.osVersion, event.appVersion, event.appBuild,
            event.traits, event.locale, event.country,
            event.referrerHost, event.address, event.userAgent, event.botClass, event.install, event.source, event.node,
            event.requestID, event.method,
            event.latencyMicroseconds,
        ]
    }

    static func event(_ row: Row) throws -> StoredEvent {
        func broken(_ column: String) -> StorageError {
            .corrupt(file: "events", detail: "row \(row["seq"] as Int64): the column \(column) cannot be read")
        }
        let tenantText: String = row["tenant"]
        guard let tenant = tenantText == TenantID.none.rawValue ? TenantID.none : TenantID(tenantText) else {
            throw broken("tenant")
        }
        guard let environment = EnvironmentID(row["environment"] as String) else { throw broken("environment") }
        guard let outcome = Outcome(rawValue: row["outcome"]) else { throw broken("outcome") }
        guard let purpose = Event.Purpose(rawValue: row["purpose"]) else { throw broken("purpose") }
        var event = Event(
            id: row["id"],
            recordedAt: Timestamp(milliseconds: row["recorded_at"]),
            tenant: tenant,
            environment: environment,
            outcome: outcome,
            linkLength: row["link_length"],
            source: row["source"],
            node: row["node"],
            requestID: row["request_id"],
            method: row["method"]
        )
        event.occurredAt = (row["occurred_at"] as Int64?).map(Timestamp.init(milliseconds:))
        event.purpose = purpose
        event.kind = Event.Kind(rawValue: row["kind"])
        event.parent = row["parent"]
        event.clientEventID = row["client_event_id"]
        event.app = (row["app"] as String?).flatMap { AppID($0) }
        event.route = (row["route"] as String?).flatMap { RouteID($0) }
        event.revision = (row["revision"] as Int64?).map(Revision.init(rawValue:))
        event.settingsRevision = row["settings_revision"]
        event.action = (row["action"] as String?).flatMap(Action.init(rawValue:))
        event.reason = row["reason"]
        event.experiment = row["experiment"]
        event.variant = row["variant"]
        event.scheme = row["scheme"]
        event.host = row["host"]
        event.path = row["path"]
        event.query = try (row["query"] as String?).map(query) ?? []
        event.parameters = row["parameters"]
        event.platform = (row["platform"] as String?).flatMap(Platform.init(rawValue:))
        event.device = (row["device"] as String?).flatMap(Device.init(rawValue:))
        event.osVersion = row["os_version"]
        event.appVersion = row["app_version"]
        event.appBuild = row["app_build"]
        event.traits = row["traits"]
        event.locale = row["locale"]
        event.country = row["country"]
        event.referrerHost = row["referrer_host"]
        event.address = row["address"]
        event.userAgent = row["user_agent"]
        event.botClass = row["bot_class"]
        event.install = row["install"]
        event.latencyMicroseconds = row["latency_micros"]
        return StoredEvent(sequence: row["seq"], event: event)
    }

    private static func query(_ json: String) throws -> [Event.QueryItem] {
        let node = try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        return (node.elements ?? []).compactMap { item in
            guard let name = item["name"]?.text, let value = item["value"]?.text else { return nil }
            return Event.QueryItem(name: name, value: value)
        }
    }
}
