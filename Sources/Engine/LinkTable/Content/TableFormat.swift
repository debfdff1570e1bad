package import LinkRouting

/// The tables that an engine can read. docs/format.md explains the versions.
package struct TableFormat: Sendable, Hashable {
    /// The newest `formatVersion` that the engine reads.
    package let formatVersion: Int64
    /// The features that the engine has, for `requires`.
    package let features: Set<String>

    /// The version of this engine, which apps report with their events. It increases with each change that affects an
    /// answer, and with each entry of ``history``.
    package static let engineVersion = "1.0"
    package static let current = TableFormat(formatVersion: RouteTable.formatVersion, features: RouteTable.features)

    /// The formats by the first engine version that reads them, oldest first.
    private static let history: [(since: String, format: TableFormat)] = [
        ("1.0", TableFormat(formatVersion: 1, features: []))
    ]

    /// Returns the format that an engine of a version reads; nil for a version before the first.
    package static func understood(byEngine version: Version) -> TableFormat? {
        history.last { Version($0.since).map { $0 <= version } ?? false }?.format
    }
}
