package import Logging
import Synchronization

/// How a line of the log is written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object, for machines.
    case json
    /// For people at a terminal.
    case text
}

/// Which answers get a line in the log.
package enum RequestLogging: String, Sendable, CaseIterable {
    case off
    /// Those that are the service's own fault: a status from 500 on.
    case errors
    /// These, and of the others the first few of each second: all of them while little happens, a sample at high rates.
    case sampled
    case all
}

/// What decides which lines are written and how; every logger of the process reads it, so that a change holds at once.
package final class LogSettings: Sendable {
    package struct Values: Sendable, Hashable {
        package var level: Logger.Level
        package var format: LogFormat
        package var requests: RequestLogging

        package init(level: Logger.Level = .info, format: LogFormat = .json, requests: RequestLogging = .sampled) {
            self.level = level
            self.format = format
            self.requests = requests
        }
    }

    /// Asked before every message, most of which are not written: no lock.
    private let severity: Atomic<Int>
    /// Asked after every request.
    private let wanted: Atomic<Int>
    private let values: Mutex<Values>
    /// Of requests that get a line though not all do.
    let successes = PerSecondQuota(10)
    let failures = PerSecondQuota(100)

    package init(_ values: Values = Values()) {
        severity = Atomic(values.level.index)
        wanted = Atomic(values.requests.index)
        self.values = Mutex(values)
    }

    package var level: Logger.Level { Logger.Level.allCases[severity.load(ordering: .relaxed)] }
    var requests: RequestLogging { RequestLogging.allCases[wanted.load(ordering: .relaxed)] }
    package var current: Values { values.withLock { $0 } }

    package func replace(by values: Values) {
        self.values.withLock { $0 = values }
        severity.store(values.level.index, ordering: .relaxed)
        wanted.store(values.requests.index, ordering: .relaxed)
    }
}

extension CaseIterable where Self: Equatable, AllCases == [Self] {
    fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
