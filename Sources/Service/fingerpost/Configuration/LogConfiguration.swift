import Foundation
import LinkRouting
import LinkServer
import Logging

/// The keys below `log`: which messages are written to standard error, and in which format.
struct LogConfiguration {
    let values: LogSettings.Values
    /// The values as `fingerpost config` prints them, in the order of the keys.
    let effective: [String]

    /// In the order of config/fingerpost.yaml.
    static let keys = ["log.level", "log.format", "log.requests"]

    private enum Format: String, CaseIterable {
        case auto, json, text
    }

    /// - Parameter text: Returns the value of a key, or the given default.
    init(text: (_ key: String, _ standard: String) -> String) throws {
        let level: Logger.Level = try .read("log.level", text("log.level", "info"))
        let format: Format = try .read("log.format", text("log.format", "auto"))
        let requests: RequestLogging = try .read("log.requests", text("log.requests", "sampled"))
        let isForPeople = format == .text || (format == .auto && isatty(STDERR_FILENO) == 1)
        values = LogSettings.Values(level: level, format: isForPeople ? .text : .json, requests: requests)
        effective = [level.rawValue, format.rawValue, requests.rawValue]
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// Parses the value of a key as a case name. Throws ``ServiceConfiguration/Invalid``.
    static func read(_ key: String, _ text: String) throws -> Self {
        guard let choice = Self(rawValue: text) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            throw ServiceConfiguration.Invalid(key, "is '\(text)'; write one of \(names).")
        }
        return choice
    }
}
