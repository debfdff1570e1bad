package import LinkRouting
package import Logging

/// Writes each message as one line, whatever it contains: `ts`, `level`, `msg`, then the metadata by name.
///
/// Names are converted to snake_case (`export.rows` becomes `export_rows`), texts are truncated to 2 KiB, and at most
/// 40 names are written, so that log collectors accept the line whole.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let settings: LogSettings
    private let now: @Sendable () -> Timestamp
    private let write: @Sendable ([UInt8]) -> Void
    /// The level of this logger alone; nil for the level of the settings.
    private var ownLevel: Logger.Level?

    /// - Parameter write: Called with a whole line, including its line feed.
    package init(
        settings: LogSettings,
        metadataProvider: Logger.MetadataProvider? = nil,
        now: @escaping @Sendable () -> Timestamp,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.settings = settings
        self.metadataProvider = metadataProvider
        self.now = now
        self.write = write
    }

    package var logLevel: Logger.Level {
        get { ownLevel ?? settings.level }
        set { ownLevel = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error, all["error"] == nil { all["error"] = "\(error)" }
        write(settings.written(LogLine(at: now(), event.level, event.message.description, all)))
    }
}

extension LogSettings {
    fileprivate func written(_ line: LogLine) -> [UInt8] {
        switch current.format {
        case .json: line.json
        case .text: line.text
        }
    }

    /// Returns the line that replaces dropped lines.
    package func lineAboutLost(_ count: Int, at instant: Timestamp) -> [UInt8] {
        written(
            LogLine(
                at: instant,
                .warning,
                "log lines were dropped because standard error was not read fast enough",
                ["lines": .stringConvertible(count)]
            )
        )
    }
}
