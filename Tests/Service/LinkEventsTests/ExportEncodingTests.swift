import Foundation
import LinkEvents
import LinkRouting
import Networking
import TestSupport
import Testing

struct ExportEncodingTests {
    /// Decompresses with the `gzip` program.
    private func gunzip(_ compressed: [UInt8]) throws -> (status: Int32, bytes: [UInt8]) {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gz").path
        try Data(compressed).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, Array(output))
    }

    private func compress(_ chunks: [[UInt8]], level: Int) throws -> [UInt8] {
        let stream = try GzipStream(level: level)
        var bytes: [UInt8] = []
        for chunk in chunks { try stream.write(chunk) { bytes += $0 } }
        try stream.finish { bytes += $0 }
        return bytes
    }

    @Test(arguments: [1, 6, 9])
    func gzipReadsWhatIsWritten(level: Int) throws {
        var generator = SeededGenerator(seed: 7)
        let chunks = (0..<40).map { _ in
            (0..<Int.random(in: 0...9_000, using: &generator)).map { _ in UInt8.random(in: 0...20, using: &generator) }
        }
        let compressed = try compress(chunks, level: level)
        let read = try gunzip(compressed)
        #expect(read.status == 0)
        #expect(read.bytes == chunks.flatMap(\.self))
        #expect(try compress(chunks, level: level) == compressed)
        #expect(compressed[4..<8].elementsEqual([0, 0, 0, 0]), "the header holds no time")
    }

    @Test func emptyInputIsAWholeFile() throws {
        let read = try gunzip(try compress([], level: 6))
        #expect(read.status == 0)
        #expect(read.bytes.isEmpty)
    }

    private func stored(_ change: (inout Event) -> Void) -> StoredEvent {
        var event = Event.sample(1)
        change(&event)
        return StoredEvent(sequence: 7, event: event)
    }

    @Test func ndjsonRowHasEveryColumnInOrder() throws {
        let row = ExportEncoder.ndjson.rows([
            stored {
                $0.parameters = #"{"id":1}"#
                $0.path = "/a\n\"b\""
                $0.shortLink = Event.ShortLinkName(place: "go.acme.com", code: "spring")
            }
        ])
        #expect(row.last == 0x0A)
        #expect(row.count { $0 == 0x0A } == 1)
        let node = try JSONReader.parse(Array(row.dropLast()), limits: JSONReader.Limits(maximumBytes: 65_536))
        #expect(node.members?.map(\.key) == ExportSchema.columns)
        #expect(node["seq"]?.int == 7)
        #expect(node["parameters"]?["id"]?.int == 1)
        #expect(node["path"]?.text == "/a\n\"b\"")
        #expect(node["shortLink"]?.text == "go.acme.com/spring")
    }

    struct Field: Sendable {
        let text: String
        let field: String
    }

    static let fields: [Field] =
        [
            Field(text: "plain", field: ",plain,"), Field(text: "a,b", field: #","a,b","#),
            Field(text: #"a"b"#, field: #","a""b","#), Field(text: "a\r\nb", field: ",\"a\r\nb\","),
            Field(text: "=1+1", field: ",'=1+1,"), Field(text: "+1", field: ",'+1,"), Field(text: "-1", field: ",'-1,"),
            Field(text: "@x", field: ",'@x,"), Field(text: "\tx", field: ",'\tx,"),
            Field(text: "=a,b", field: #","'=a,b","#), Field(text: "\rx", field: ",\"'\rx\","),
            Field(text: "\n=x", field: ",\"'\n=x\","), Field(text: "a=1", field: ",a=1,"),
            Field(text: "é", field: ",é,"),
            Field(text: "\u{FEFF}=x", field: ",'\u{FEFF}=x,"), Field(text: "＝a\"b", field: #","'＝a""b","#),
        ]
        + "＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−".unicodeScalars.map { Field(text: "\($0)SUM(1)", field: ",'\($0)SUM(1),") }

    @Test(arguments: fields)
    func csvQuotesAndNeutralises(_ one: Field) {
        let row = String(decoding: ExportEncoder.csv.rows([stored { $0.locale = one.text }]), as: UTF8.self)
        #expect(row.contains(one.field), "\(row)")
        #expect(row.hasPrefix("7,"))
        #expect(row.hasSuffix("\r\n"))
    }

    @Test func csvHeaderNamesTheColumns() {
        #expect(
            String(decoding: ExportEncoder.csv.header(), as: UTF8.self) == ExportSchema.columns.joined(separator: ",")
                + "\r\n"
        )
        #expect(ExportEncoder.ndjson.header().isEmpty)
    }

    /// The list under "Columns" in docs/exports.md.
    @Test func everyColumnIsDocumentedInOrder() throws {
        let file = Repository.file("docs/exports.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.split(separator: "## Columns\n").last)
        let list = try #require(section.split(separator: "\n\n").first { $0.hasPrefix("`seq`") })
        let name = #/`([A-Za-z]+)`/#
        #expect(list.matches(of: name).map { String($0.1) } == ExportSchema.columns)
        for row in section.split(separator: "\n## ")[0].split(separator: "\n") where row.hasPrefix("| `") {
            for match in row.split(separator: "|")[0].matches(of: name) {
                #expect(ExportSchema.columns.contains(String(match.1)))
            }
        }
    }
}
