import Foundation
import LinkServer

/// The free space and size of the disk that holds a directory.
struct DiskSpace {
    let freeBytes: Double
    let sizeBytes: Double

    /// Returns nil if the directory does not exist.
    init?(of folder: String) {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return nil }
        freeBytes = Double(disk.f_bavail) * Double(disk.f_frsize)
        sizeBytes = Double(disk.f_blocks) * Double(disk.f_frsize)
    }

    /// A health check that the disk has at least `minimum` bytes free for recording. A disk with less degrades the
    /// service: links are answered without being recorded once the disk is full.
    static func check(_ folder: String, atLeast minimum: @escaping @Sendable () -> Int) -> Health.Check {
        Health.Check("disk") {
            guard let space = DiskSpace(of: folder) else { return .bad("the free space cannot be read") }
            let minimum = minimum()
            let detail = "\(Int64(clamping: space.freeBytes)) bytes free, minimum \(minimum)"
            return space.freeBytes >= Double(minimum) ? .good(detail) : .degraded(detail)
        }
    }
}

extension Int64 {
    fileprivate init(clamping value: Double) { self = Int64(exactly: value.rounded(.down)) ?? .max }
}
