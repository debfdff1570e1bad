import FoundationEssentials

/// Cases and published files that stand beside the repository, not in it: they belong to others.
enum AppleData {
    private static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/data")

    static let cases = directory.appending(path: "aasa_cases.jsonl")
    static let realFiles = directory.appending(path: "aasa_real")

    static var hasCases: Bool { FileManager.default.fileExists(atPath: cases.path) }
    static var hasRealFiles: Bool { FileManager.default.fileExists(atPath: realFiles.path) }
}
