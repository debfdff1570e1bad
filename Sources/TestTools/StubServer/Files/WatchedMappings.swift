import Foundation
import Synchronization

/// The mapping files of a folder, as they were when they were last compared.
final class WatchedMappings: Sendable {
    private let folder: StubFolder
    private let stamps = Mutex<[String: Stamp]?>(nil)

    /// The attributes that change when a file is written.
    private struct Stamp: Hashable {
        let written: Date?
        let size: Int?
        let number: Int?
    }

    init(_ folder: StubFolder) { self.folder = folder }

    /// Whether a file was written, added or removed since the last call; false for the first one.
    func haveChanged() -> Bool {
        let found = Dictionary(uniqueKeysWithValues: folder.mappingFiles().map { ($0, stamp(of: $0)) })
        let earlier = stamps.withLock { stamps in
            defer { stamps = found }
            return stamps
        }
        return earlier != nil && earlier != found
    }

    private func stamp(of file: String) -> Stamp {
        let attributes = FileManager.default.status(atPath: "\(folder.mappings)/\(file)") ?? [:]
        return Stamp(
            written: attributes[.modificationDate] as? Date,
            size: attributes[.size] as? Int,
            number: attributes[.systemFileNumber] as? Int
        )
    }
}
