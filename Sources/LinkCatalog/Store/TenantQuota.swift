package import LinkRouting

// What a tenant's editors can make the server store. docs/security.md lists every table with its bound.

/// The room for a tenant's revisions, over all environments.
package struct RevisionRoom: Sendable, Hashable {
    package let revisions: Int
    /// Maximum size of all distinct tables together. Equal tables are stored once.
    package let bytes: Int

    /// The newest revisions of each environment that stay, whatever the room. Pruning keeps as many by default.
    package static let kept = 50

    /// The ``kept`` revisions of all 17 environments are within the number. The ``kept`` tables of one environment are
    /// within the bytes even if each has the 32 MiB that `limits.tableBytes` permits by default; other environments
    /// usually have the same tables.
    package static let ofTenant = RevisionRoom(revisions: 1_000, bytes: 2 << 30)

    package init(revisions: Int, bytes: Int) {
        self.revisions = revisions
        self.bytes = bytes
    }
}

/// A publication would exceed the ``RevisionRoom``, and too few older revisions may go.
package struct TooManyRevisions: Error, Hashable, Sendable {
    package let tenant: TenantID
    package let room: RevisionRoom

    package init(tenant: TenantID, room: RevisionRoom) {
        self.tenant = tenant
        self.room = room
    }
}

/// What a tenant's keys may do on one UTC day. Each leaves a row that stays for long, so a limit on how many there are at
/// the same time would not bound them. Only keys are limited if the key that creates them is for all tenants; nothing is
/// limited on the machine itself.
package enum DailyQuota: Sendable, Hashable {
    /// Keys created by keys, ended ones included.
    case keys
    /// The audit rows of all changes. They are never removed.
    case auditBytes
    case erasures
    /// Export windows, on request and by the schedule.
    case exports

    package var maximum: Int {
        switch self {
        // As many as can be active at the same time.
        case .keys: 1_000
        // About 40,000 changes.
        case .auditBytes: 16 << 20
        // One in 86 seconds; each reads the days of the log.
        case .erasures: 1_000
        // Two a minute.
        case .exports: 2_880
        }
    }
}

/// A ``DailyQuota`` is used up.
package struct DailyQuotaReached: Error, Hashable, Sendable, CustomStringConvertible {
    package let quota: DailyQuota
    /// Nil for the keys of all tenants.
    package let tenant: TenantID?
    private let now: Timestamp

    package init(_ quota: DailyQuota, of tenant: TenantID?, at now: Timestamp) {
        self.quota = quota
        self.tenant = tenant
        self.now = now
    }

    /// The seconds until the quota starts anew, at least 1.
    package var secondsLeft: UInt64 {
        UInt64(max(1, (end.milliseconds - now.milliseconds + 999) / 1_000))
    }

    package var description: String {
        let who = tenant.map { "The keys of tenant '\($0)' have" } ?? "Keys have"
        let what =
            switch quota {
            case .keys: "created \(quota.maximum) keys\(tenant == nil ? " for all tenants" : ""), ended ones included"
            case .auditBytes: "made changes with \(quota.maximum) bytes of audit rows"
            case .erasures: "made \(quota.maximum) erasures"
            case .exports: "ended \(quota.maximum) export windows"
            }
        return "\(who) \(what), which is the maximum of a day (UTC). Try again after \(end)."
    }

    private var end: Timestamp { now.day.next.start }
}
