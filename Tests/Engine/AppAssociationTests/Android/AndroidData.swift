import FoundationEssentials
import LinkRouting
import TestSupport

/// Test cases and published files beside the repository. They belong to third parties, so they are not checked in.
enum AndroidData {
    private static let directory = Repository.file("../shared/data")

    static let statementCases = directory.appending(path: "assetlinks_cases.jsonl")
    static let dynamicCases = directory.appending(path: "android_dynamic_cases.jsonl")
    static let realFiles = directory.appending(path: "assetlinks_real")

    static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// The rows of a file with one JSON object per line.
    static func rows(_ url: URL) throws -> [JSONNode] {
        try Data(contentsOf: url).split(separator: UInt8(ascii: "\n")).map { line in
            try JSONReader.parse(Array(line), limits: JSONReader.Limits(maximumBytes: 1 << 20))
        }
    }
}
