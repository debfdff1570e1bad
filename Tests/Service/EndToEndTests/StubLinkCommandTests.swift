import Foundation
import LinkRouting
import TestSupport
import Testing

/// The options of `fingerpost stub` for tenant files, with the real binary.
@Suite(.timeLimit(.minutes(15)))
struct StubLinkCommandTests {
    private static let tool = RunningServer.products.appending(path: "fingerpost").path

    private static let tenant = """
        formatVersion: 1
        tenant: acme
        settings: {schemes: [acme]}
        table:
          routes:
            - {id: item, path: "/item/{id:int}", open: {screen: Item}}
        """

    private static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }

    @Test(arguments: [
        (["--tenant", "BAD"], 65, "fingerpost: BAD:6:24: table.routes[0].path: "),
        (["--tenant", "BAD", "--lenient"], 65, "fingerpost: BAD:6:24: table.routes[0].path: "),
        (["--tenant", "NONE"], 65, "fingerpost: NONE: there is no such file; check the path."),
        (["--tenant", "GOOD", "--suite", "GOOD"], 65, "this is a tenant file"),
        (["--tenant", "GOOD", "--table-key", "NONE"], 65, "NONE"),
        (["--watch"], 64, "--watch needs a folder, or a tenant file"),
        (["--suite", "a.yaml"], 64, "--suite and --table-key need a tenant file"),
    ])
    func mistakeStopsTheStart(_ words: [String], _ status: Int32, _ message: String) async throws {
        try await withTemporaryDirectory { directory in
            let paths = ["BAD": "\(directory)/bad.yaml", "GOOD": "\(directory)/good.yaml", "NONE": "\(directory)/none"]
            try Self.write(Self.tenant, "\(directory)/good.yaml")
            try Self.write(Self.tenant.replacing("\"/item", with: "\"item"), "\(directory)/bad.yaml")
            let arguments = words.map { paths[$0] ?? $0 }
            let result = try await runBeside(
                "sh",
                ["-c", #""$0" stub "$@" 2>&1 </dev/null"#, Self.tool] + arguments
            )
            var text = String(decoding: result.output, as: UTF8.self)
            for (name, path) in paths { text = text.replacing(path, with: name) }
            #expect(result.status == status)
            #expect(text.contains(message), "\(text)")
        }
    }

    @Test func watchedFileIsReadAgain() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/acme.yaml"
            try Self.write(Self.tenant, path)
            let output = Pipe()
            let process = try RunningProcess(
                ["/bin/sh", "-c", #"exec timeout 60 "$0" stub --tenant "$1" --watch 2>&1"#, Self.tool, path],
                // Such a process does not end with its input.
                environment: ["FINGERPOST_STUB_DETACHED": "1"],
                output: output
            )
            var lines = OutputLines(output.fileHandleForReading)
            let first = lines.next() ?? ""
            let started = try JSONReader.parse(first, limits: JSONReader.Limits(maximumBytes: 10_000))
            #expect(started["tenants"]?.int == 1 && started["links"]?.text?.hasSuffix("/__links") == true)
            try Self.write(Self.tenant.replacing("Item", with: "Thing"), path)
            #expect(lines.next() == "fingerpost: \(path): read again")
            try Self.write(Self.tenant.replacing("\"/item", with: "\"item"), path)
            let problem = lines.next()
            #expect(problem?.hasPrefix("fingerpost: \(path):6:24: table.routes[0].path: ") == true)
            process.send(SIGTERM)
            #expect(process.wait().status == 0)
        }
    }
}

/// The lines that a process writes, as they come.
private struct OutputLines {
    private let handle: FileHandle
    private var rest = Data()

    init(_ handle: FileHandle) { self.handle = handle }

    /// Nil at the end of the output.
    mutating func next() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = Data(rest[rest.index(after: end)...])
                return line
            }
            let data = handle.availableData
            guard !data.isEmpty else { return nil }
            rest += data
        }
    }
}
