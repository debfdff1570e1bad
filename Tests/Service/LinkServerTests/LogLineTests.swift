import LinkRouting
import LinkServer
import Logging
import Synchronization
import Testing

/// Collects a logger's output by line.
final class WrittenLog: Sendable {
    private let written = Mutex<[[UInt8]]>([])
    let settings: LogSettings

    init(_ values: LogSettings.Values = .init()) { settings = LogSettings(values) }

    var logger: Logger {
        Logger(label: "test") { _ in
            LineLogHandler(settings: self.settings, now: { Timestamp(milliseconds: 1_795_255_200_123) }) { line in
                self.written.withLock { $0.append(line) }
            }
        }
    }

    var lines: [String] { written.withLock { $0 }.map { String(decoding: $0, as: UTF8.self) } }

    /// Every line, which must be one JSON object.
    func objects() throws -> [JSONNode] {
        try lines.map { line in
            #expect(line.hasSuffix("\n") && line.dropLast().allSatisfy { !$0.isNewline }, "\(line)")
            return try JSONReader.parse(line, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        }
    }
}

struct LogLineTests {
    private static let hostile = [
        "a\r\nb", "\"}", #"{"level":"critical"}"#, "\u{0}\u{1B}[31m\u{9B}", "\u{2028}\u{2029}\u{85}", "\\",
        "é\u{301}👍\u{202E}",
        String(repeating: "x", count: 100_000),
    ]

    @Test func lineHoldsTimeLevelMessageAndWhatBelongsToIt() {
        let log = WrittenLog()
        log.logger.warning(
            "an export failed",
            metadata: ["export.rows": .stringConvertible(7), "dur_ms": .stringConvertible(1.5), "windowName": "a"]
        )
        #expect(
            log.lines == [
                #"{"ts":"2026-11-21T10:00:00.123Z","level":"warning","msg":"an export failed","dur_ms":1.5,"#
                    + #""export_rows":7,"window_name":"a"}"# + "\n"
            ]
        )
    }

    @Test(arguments: hostile) func nothingBreaksALineOrAddsAMember(_ text: String) throws {
        let log = WrittenLog()
        log.logger.error(
            "\(text)",
            metadata: [
                text: "a", "value": "\(text)", "list": ["\(text)"], "nested": ["\(text)": "\(text)"],
                "msg": "\(text)", "level": "\(text)", "ts": "\(text)",
            ]
        )
        let object = try #require(try log.objects().first)
        #expect(object["level"]?.text == "error")
        #expect(object["ts"]?.text == "2026-11-21T10:00:00.123Z")
        let kept = text.unicodeScalars.filter { !"\u{9B}\u{85}\u{2028}\u{2029}\u{202E}".unicodeScalars.contains($0) }
            .prefix(
                2_048
            )
        #expect(object["msg"]?.text?.unicodeScalars.filter { $0 != "\u{FFFD}" }.elementsEqual(kept) == true)
        let names = try #require(object.members).map(\.key)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) } })
        #expect(try #require(log.lines.first).utf8.count < 32_768)
    }

    @Test(arguments: hostile) func textForPeopleHoldsNothingThatATerminalObeys(_ text: String) throws {
        let log = WrittenLog(.init(format: .text))
        log.logger.error("\(text)", metadata: ["value": "\(text)"])
        let line = try #require(log.lines.first)
        #expect(line.hasSuffix("\n"))
        #expect(
            line.dropLast().unicodeScalars.allSatisfy {
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            }
        )
    }

    @Test func textForPeopleQuotesOnlyWhatNeedsIt() {
        let log = WrittenLog(.init(format: .text))
        log.logger.info("window exported", metadata: ["tenant": "shop", "error": "no \"room\""])
        #expect(
            log.lines == [
                #"2026-11-21T10:00:00.123Z info     window exported error="no \"room\"" tenant=shop"# + "\n"
            ]
        )
    }

    @Test func levelAndFormatChangeForLoggersThatAreThere() {
        let log = WrittenLog(.init(level: .warning))
        let logger = log.logger
        logger.info("not written")
        log.settings.replace(by: .init(level: .debug, format: .text))
        logger.debug("written")
        #expect(log.lines == ["2026-11-21T10:00:00.123Z debug    written\n"])
    }

    @Test func lineHasAnEndHoweverMuchBelongsToIt() throws {
        let log = WrittenLog()
        var deep: Logger.MetadataValue = "bottom"
        for _ in 0..<1_000 { deep = ["x": deep] }
        var metadata: Logger.Metadata = ["deep": deep]
        for number in 0..<1_000 { metadata["k\(number)"] = "v" }
        log.logger.info("much", metadata: metadata)
        #expect(try #require(log.objects().first?.members).count == 43)
    }
}
