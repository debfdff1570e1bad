package import LinkEvents
import LinkRouting

extension EventRecorder {
    /// A health check that no tenant has reached its bytes of the day. A server whose tenant has is ready: it answers
    /// the tenant's links without recording them.
    package var dayBytesCheck: Health.Check {
        Health.Check("day bytes") { [self] in
            let dayBytes = dayBytes
            guard dayBytes.limit > 0 else { return .good("no limit") }
            let tenants = dayBytes.tenantsAtLimit
            guard !tenants.isEmpty else {
                return .good("no tenant has recorded \(dayBytes.limit) bytes without a key today")
            }
            let names = tenants.prefix(20).map(\.rawValue).joined(separator: ", ") + (tenants.count > 20 ? ", …" : "")
            return .degraded(
                "limits.dayBytes is reached by \(names): further events without a key are not recorded until 00:00 UTC"
            )
        }
    }
}
