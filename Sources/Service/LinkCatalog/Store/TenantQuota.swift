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

/// The part of a tenant's ``DailyQuota`` that an actor may use up.
package enum QuotaShare: Sendable, Hashable {
    /// Keys for all tenants, and the machine itself.
    case unlimited
    /// Keys of the tenant with the scope `admin` and without limits.
    case all(TenantID)
    /// Other keys of the tenant, so that none of them keeps the others from repairing what it does.
    case half(TenantID)

    package var tenant: TenantID? {
        switch self {
        case .unlimited: nil
        case .all(let tenant), .half(let tenant): tenant
        }
    }
}

/// What a tenant's keys may do on one UTC day. Each leaves a row that stays for long, so a limit on how many there are at
/// the same time would not bound them.
package enum DailyQuota: Sendable, Hashable {
    /// Keys created by keys, ended ones included. Keys for all tenants create at most as many for all tenants.
    case keys
    /// Revisions. Where there are too many, the oldest go, so this is also the pace at which they may.
    case publications
    /// The audit rows of all changes. They are never removed.
    case auditBytes
    case erasures
    /// Export windows, on request and by the schedule.
    case exports

    package var maximum: Int {
        switch self {
        // As many as can be active at the same time.
        case .keys: 1_000
        // Half of what a tenant may have.
        case .publications: 500
        // About 40,000 changes.
        case .auditBytes: 16 << 20
        // One in 86 seconds; each reads the days of the log.
        case .erasures: 1_000
        // Two a minute.
        case .exports: 2_880
        }
    }

    package func maximum(for share: QuotaShare) -> Int { if case .half = share { maximum / 2 } else { maximum } }
}

/// A ``DailyQuota`` is used up, or the part of it that the actor may use up.
package struct DailyQuotaReached: Error, Hashable, Sendable, CustomStringConvertible {
    package let quota: DailyQuota
    private let share: QuotaShare
    private let now: Timestamp

    package init(_ quota: DailyQuota, for share: QuotaShare, at now: Timestamp) {
        self.quota = quota
        self.share = share
        self.now = now
    }

    /// The seconds until the quota starts anew, at least 1.
    package var secondsLeft: UInt64 {
        UInt64(max(1, (end.milliseconds - now.milliseconds + 999) / 1_000))
    }

    package var description: String {
        let maximum = quota.maximum(for: share)
        let what =
            switch quota {
            case .keys: "created \(maximum) keys, ended ones included"
            case .publications: "published \(maximum) revisions"
            case .auditBytes: "made changes with \(maximum) bytes of audit rows"
            case .erasures: "made \(maximum) erasures"
            case .exports: "ended \(maximum) export windows"
            }
        switch share {
        case .unlimited:
            return "Keys have \(what), for all tenants, which is the maximum of a day (UTC). Try again after \(end)."
        case .all(let tenant):
            return "The keys of tenant '\(tenant)' have \(what), which is the maximum of a day (UTC). Try again after "
                + "\(end), or with a key for all tenants."
        case .half(let tenant):
            return "The keys of tenant '\(tenant)' have \(what), which is what keys with limits or without the scope "
                + "'admin' may use up on a day (UTC). Try again after \(end), or with a key that has this scope and no limits."
        }
    }

    private var end: Timestamp { now.day.next.start }
}
