package import LinkRouting
package import Logging

/// Writes each message as one line, whatever is in it: `ts`, `level`, `msg`, then what belongs to it by name.
///
/// Names are written in snake_case (`export.rows` is `export_rows`), texts are cut after 2 KiB, and at most 40 names are
/// written, so that a line stays one that log collectors take whole.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let settings: LogSettings
    private let now: @Sendable () -> Timestamp
    private let write: @Sendable ([UInt8]) -> Void
    /// Of this logger alone, where somebody sets it.
    private var ownLevel: Logger.Level?

    /// - Parameter write: Takes a whole line with its end.
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

    /// The line that stands where others were dropped.
    package func lineAboutLost(_ count: Int, at instant: Timestamp) -> [UInt8] {
        written(
            LogLine(
                at: instant,
                .warning,
                "lines of the log were dropped: standard error was not read fast enough",
                ["lines": .stringConvertible(count)]
            )
        )
    }
}
