import Foundation
import Testing

/// A small private file system that can be full, unwritable, or lose power. Needs root.
final class ScratchDisk: Sendable {
    /// The mount point.
    let path: String
    /// The file with an ext4 image; nil for a file system in memory.
    private let image: String?

    /// Why a file system in memory is not available here; nil if it is.
    static let memoryObstacle: Comment? = obstacle(tools: []) { try ScratchDisk(megabytesOfMemory: 1) }
    /// Why a file system with power cuts is not available here; nil if it is.
    static let imageObstacle: Comment? = obstacle(tools: [("mkfs.ext4", "e2fsprogs"), ("xfs_io", "xfsprogs")]) {
        try ScratchDisk(megabytesOfImage: 8)
    }

    private static func obstacle(
        tools: [(name: String, package: String)],
        _ attempt: () throws -> ScratchDisk
    ) -> Comment? {
        guard geteuid() == 0 else { return "SKIPPED: mounting a file system needs root" }
        for tool in tools where !["/usr/sbin", "/sbin"].contains(where: { access("\($0)/\(tool.name)", X_OK) == 0 }) {
            return "SKIPPED: install the package \(tool.package) to run this"
        }
        do {
            try attempt().remove()
            return nil
        } catch {
            return "SKIPPED: no file system can be mounted here (a container without CAP_SYS_ADMIN?): \("\(error)")"
        }
    }

    init(megabytesOfMemory size: Int) throws {
        path = try Self.mountPoint()
        image = nil
        try Self.sh("mount -t tmpfs -o size=\(size)m,mode=700 tmpfs '\(path)'")
    }

    init(megabytesOfImage size: Int) throws {
        path = try Self.mountPoint()
        let image = path + ".image"
        self.image = image
        try Self.sh(
            "truncate -s \(size)M '\(image)' && mkfs.ext4 -q -F '\(image)' && mount -o loop '\(image)' '\(path)'"
        )
    }

    /// Fills the file system to the last byte.
    func fill() throws {
        let ballast = open(path + "/ballast", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(ballast) }
        let zeros = [UInt8](repeating: 0, count: 4_096)
        while write(ballast, zeros, zeros.count) > 0 {}
        try #require(errno == ENOSPC)
    }

    func grow(toMegabytes size: Int) throws { try Self.sh("mount -o remount,size=\(size)m '\(path)'") }
    func makeReadOnly() throws { try Self.sh("mount -o remount,ro '\(path)'") }

    /// From now on nothing reaches the disk. As after a power cut, data that was not synced is lost.
    func cutPower() throws { try Self.sh("xfs_io -x -c shutdown '\(path)'") }

    /// Mounts the file system again, as a machine does after a power cut. No process may have a file open.
    func powerOn() throws {
        guard let image else { return }
        try Self.sh("umount '\(path)' && mount -o loop '\(image)' '\(path)'")
    }

    func remove() {
        try? Self.sh("umount -l '\(path)'; rmdir '\(path)'")
        if let image { unlink(image) }
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private static func mountPoint() throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "fingerpost-disk-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static func sh(_ command: String) throws {
        let result = try run("sh", "-c", "export PATH=\"$PATH:/usr/sbin:/sbin\"; { \(command); } 2>&1")
        guard result.status == 0 else {
            throw Failed(description: "\(command): \(String(decoding: result.output, as: UTF8.self))")
        }
    }
}

/// Runs `body` with a disk that is removed afterwards.
func withDisk<Result>(
    _ disk: @autoclosure () throws -> ScratchDisk,
    _ body: (ScratchDisk) async throws -> Result
) async throws -> Result {
    let disk = try disk()
    defer { disk.remove() }
    return try await body(disk)
}
