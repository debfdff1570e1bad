import Foundation
import LinkCatalog

/// Writes a file that the user named. A regular file is replaced atomically; the target of a symbolic link is written
/// and the link stays. A device or pipe is written directly.
package func write(_ text: String, toFile path: String) throws { try write(Array(text.utf8), toFile: path) }

package func write(_ bytes: [UInt8], toFile path: String) throws {
    var (found, link) = (stat(), stat())
    let isThere = stat(path, &found) == 0
    let isReplaced = isThere ? found.st_mode & S_IFMT == S_IFREG : lstat(path, &link) != 0
    do {
        if isReplaced {
            try Data(bytes).write(to: URL(filePath: isThere ? resolved(path) : path), options: .atomic)
        } else {
            try writeThrough(bytes, to: path)
        }
    } catch let failure as POSIXFailure {
        throw fail("\(path) cannot be written: \(String(cString: strerror(failure.code)))", .ioError)
    } catch {
        throw fail("\(path) cannot be written: \(unwritableReason(error)).", .ioError)
    }
}

/// Throws if writing to the path would lose what people have written: a file that the command reads, whatever its names
/// are, or a tenant file or suite.
///
/// - Parameters:
///   - inputs: The files that the command reads; - is standard input.
///   - force: Whether a tenant file or suite may be replaced; nil for a command without --force.
package func requireReplaceable(_ path: String, inputs: [String] = [], force: Bool? = nil) throws {
    guard let file = FileIdentity(path) else { return }
    guard !inputs.contains(where: { FileIdentity($0) == file }) else {
        throw fail("\(path) is a file that this command reads; choose another file to write.", .invalidUsage)
    }
    guard force != true, let text = try? readText(path),
        (try? TenantDocument(text)) != nil || (try? LinkSuite(text)) != nil
    else { return }
    let advice = force == nil ? "" : ", or use --force to replace it"
    throw fail("\(path) is a tenant file or a suite; choose another file to write\(advice).", .invalidUsage)
}

/// Throws if the path of a folder to write to is that of something else.
package func requireFolder(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return }
    throw fail("\(path) is not a folder; choose another with --out.", .ioError)
}

/// A regular file, whatever its names are.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    /// Nil if there is no regular file at the path.
    init?(_ path: String) {
        var status = stat()
        let result = path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)
        guard result == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }
}

/// Returns the reason why a file cannot be written, and advice.
package func unwritableReason(_ error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileNoSuchFile?, .fileReadNoSuchFile?: "its directory does not exist; create it, or check the path"
    case .fileWriteNoPermission?, .fileReadNoPermission?:
        "this user may not write there; choose another directory, or change its mode"
    case .fileWriteOutOfSpace?: "the disk is full; free some space"
    case .fileWriteVolumeReadOnly?: "the disk is read-only; choose another directory"
    default: error.localizedDescription
    }
}

private struct POSIXFailure: Error {
    let code: Int32
}

private func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
}

private func writeThrough(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw POSIXFailure(code: errno) }
    let code = writeAll(bytes, to: file)
    guard close(file) == 0 || code != nil else { throw POSIXFailure(code: errno) }
    if let code { throw POSIXFailure(code: code) }
}
