import Foundation
import LinkServer

/// What the disk of a folder has left.
struct DiskSpace {
    let freeBytes: Double
    let sizeBytes: Double

    /// Nil for a folder that is not there.
    init?(of folder: String) {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return nil }
        freeBytes = Double(disk.f_bavail) * Double(disk.f_frsize)
        sizeBytes = Double(disk.f_blocks) * Double(disk.f_frsize)
    }

    /// That there is room to record for a while yet.
    static func check(_ folder: String, atLeast minimum: @escaping @Sendable () -> Int) -> Health.Check {
        Health.Check("disk") {
            guard let space = DiskSpace(of: folder) else { return .bad("cannot be asked") }
            let minimum = minimum()
            let detail = "\(Int64(clamping: space.freeBytes)) bytes free, at least \(minimum)"
            return space.freeBytes >= Double(minimum) ? .good(detail) : .bad(detail)
        }
    }
}

extension Int64 {
    fileprivate init(clamping value: Double) { self = Int64(exactly: value.rounded(.down)) ?? .max }
}
