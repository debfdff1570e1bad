import LinkRouting
import LinkServer
import Logging
import Testing

struct LineBufferTests {
    private func text(_ buffer: inout LineBuffer) -> String {
        String(decoding: buffer.take { Array("\($0) lost\n".utf8) }, as: UTF8.self)
    }

    @Test func keepsLinesInTheirOrder() {
        var buffer = LineBuffer(capacity: 16)
        #expect(buffer.isEmpty)
        buffer.append(Array("one\n".utf8))
        buffer.append(Array("two\n".utf8))
        #expect(!buffer.isEmpty)
        #expect(text(&buffer) == "one\ntwo\n")
        #expect(buffer.isEmpty && text(&buffer).isEmpty)
    }

    @Test func itemsWithoutSpaceAreCounted() {
        var buffer = LineBuffer(capacity: 8)
        for line in ["one\n", "longer\n", "2\n"] { buffer.append(Array(line.utf8)) }
        #expect(text(&buffer) == "one\n2 lost\n")
        buffer.append(Array("three\n".utf8))
        #expect(text(&buffer) == "three\n")
    }

    @Test func lineAboveTheLimitIsReported() {
        var buffer = LineBuffer(capacity: 2)
        buffer.append(Array("one\n".utf8))
        #expect(!buffer.isEmpty)
        #expect(text(&buffer) == "1 lost\n")
    }

    @Test(arguments: [LogFormat.json, .text]) func lostLinesAreOneLineOfTheLog(_ format: LogFormat) {
        let settings = LogSettings(.init(level: .critical, format: format))
        let line = String(
            decoding: settings.lineAboutLost(7, at: Timestamp(milliseconds: 1_795_255_200_123)),
            as: UTF8.self
        )
        #expect(line.hasSuffix("\n") && line.contains("warning") && line.contains("7"), "\(line)")
        if format == .json { #expect(line.contains(#""lines":7"#), "\(line)") }
    }
}
