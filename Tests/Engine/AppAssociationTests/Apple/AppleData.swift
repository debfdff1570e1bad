import FoundationEssentials
import TestSupport

/// Test cases and published files beside the repository. They belong to third parties, so they are not checked in.
enum AppleData {
    private static let directory = Repository.file("../shared/data")

    static let cases = directory.appending(path: "aasa_cases.jsonl")
    static let realFiles = directory.appending(path: "aasa_real")

    static var hasCases: Bool { FileManager.default.fileExists(atPath: cases.path) }
    static var hasRealFiles: Bool { FileManager.default.fileExists(atPath: realFiles.path) }
}
