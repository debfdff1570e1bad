import Foundation

/// Writes a file that the user named. A regular file is replaced atomically; the target of a symbolic link is written
/// and the link stays. A device or pipe is written directly.
package func write(_ text: String, toFile path: String) throws {
    var (found, link) = (stat(), stat())
    let isThere = stat(path, &found) == 0
    let isReplaced = isThere ? found.st_mode & S_IFMT == S_IFREG : lstat(path, &link) != 0
    do {
        if isReplaced {
            try Data(text.utf8).write(to: URL(filePath: isThere ? resolved(path) : path), options: .atomic)
        } else {
            try writeThrough(Array(text.utf8), to: path)
        }
    } catch let failure as POSIXFailure {
        throw fail("\(path) cannot be written: \(String(cString: strerror(failure.code)))", .ioError)
    } catch {
        throw fail("\(path) cannot be written: \(unwritableReason(error)).", .ioError)
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
