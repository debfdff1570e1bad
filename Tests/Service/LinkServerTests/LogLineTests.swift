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
                #"10:00:00 info     window exported error="no \"room\"" tenant=shop"# + "\n"
            ]
        )
    }

    @Test(
        arguments: [
            (
                Logger.Level.info,
                [
                    "method": "POST", "route": "/resolve", "status": "200", "dur_ms": "4.412", "tenant": "shop",
                    "route_id": "product", "outcome": "matched", "request_id": "r-1", "port": "public",
                ],
                "POST /resolve 200 4.4ms shop/product matched"
            ),
            (
                .info,
                [
                    "method": "GET", "route": "/{link}", "status": "404", "dur_ms": "0.05", "code": "unknown_host",
                    "request_id": "r-2",
                ],
                "GET /{link} 404 0.1ms unknown_host request_id=r-2"
            ),
            (
                .warning,
                ["method": "GET", "route": "none", "status": "500", "tenant": "shop", "request_id": "r 3"],
                #"warning GET none 500 shop request_id="r 3""#
            ),
        ] as [(Logger.Level, [String: String], String)]
    )
    func responseIsAShortLineForPeople(_ level: Logger.Level, _ members: [String: String], _ line: String) {
        let log = WrittenLog(.init(format: .text))
        let metadata = Logger.Metadata(uniqueKeysWithValues: members.map { ($0.key, .string($0.value)) })
        log.logger.log(level: level, "request", metadata: metadata.merging(["event": "request"]) { $1 })
        #expect(log.lines == ["10:00:00 \(line)\n"])
    }

    @Test func levelAndFormatChangeForLoggersThatAreThere() {
        let log = WrittenLog(.init(level: .warning))
        let logger = log.logger
        logger.info("not written")
        log.settings.replace(by: .init(level: .debug, format: .text))
        logger.debug("written")
        #expect(log.lines == ["10:00:00 debug    written\n"])
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
