package import Logging
import Synchronization

/// The format of the log's lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object, for machines.
    case json
    /// For people at a terminal.
    case text
}

/// The responses that get an access log line.
package enum RequestLogging: String, Sendable, CaseIterable {
    case off
    /// Responses with a status of 500 or above, which are the service's own fault.
    case errors
    /// Errors, and the first few other responses of each second: all of them at low rates, a sample at high rates.
    case sampled
    case all
}

/// The settings of the log, read by every logger of the process, so that a change applies at once.
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

    /// The index of the level. It is read without a lock before every message, because most messages are not written.
    private let severity: Atomic<Int>
    /// The index of the setting for requests. It is read after every request.
    private let requestLogging: Atomic<Int>
    private let values: Mutex<Values>
    /// Quotas of access log lines for responses below a status of 500, and from 500 on.
    let successes = PerSecondQuota(10)
    let failures = PerSecondQuota(100)

    package init(_ values: Values = Values()) {
        severity = Atomic(values.level.index)
        requestLogging = Atomic(values.requests.index)
        self.values = Mutex(values)
    }

    package var level: Logger.Level { Logger.Level.allCases[severity.load(ordering: .relaxed)] }
    var requests: RequestLogging { RequestLogging.allCases[requestLogging.load(ordering: .relaxed)] }
    package var current: Values { values.withLock { $0 } }

    /// Replaces all settings.
    package func replace(by values: Values) {
        self.values.withLock { $0 = values }
        severity.store(values.level.index, ordering: .relaxed)
        requestLogging.store(values.requests.index, ordering: .relaxed)
    }
}

extension CaseIterable where Self: Equatable, AllCases == [Self] {
    fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
