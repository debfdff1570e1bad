#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The file system. It uses POSIX calls, because Foundation's atomic write does not sync.
package struct POSIXDisk: ClientDisk {
    package init() {}

    package func read(_ path: String, upTo limit: Int) throws(DiskError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", path)
        }
        defer { _ = close(file) }
        var status = stat()
        var bytes: [UInt8] = []
        if fstat(file, &status) == 0 { bytes.reserveCapacity(min(Int(clamping: status.st_size), limit) + 1) }
        var buffer = Array(repeating: UInt8(0), count: 64 << 10)
        while bytes.count <= limit {
            let length = min(buffer.count, limit + 1 - bytes.count)
            guard length > 0 else { break }
            let count = retrying { systemRead(file, &buffer, length) }
            guard count >= 0 else { throw failure("read", path) }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    package func replace(_ path: String, with bytes: [UInt8]) throws(DiskError) {
        let temporary = path + ".new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("create", temporary) }
        do throws(DiskError) {
            try write(bytes, to: file, temporary)
        } catch {
            _ = close(file)
            _ = unlink(temporary)
            throw error
        }
        guard close(file) == 0 else { throw failure("write", temporary) }
        guard rename(temporary, path) == 0 else { throw failure("replace", path) }
        syncDirectory(of: path)
    }

    package func append(_ bytes: [UInt8], to path: String) throws(DiskError) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("open", path) }
        defer { _ = close(file) }
        try write(bytes, to: file, path)
    }

    package func createDirectory(_ path: String) throws(DiskError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw failure("create", path)
        }
        try createDirectory(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("create", path) }
    }

    private func write(_ bytes: [UInt8], to file: CInt, _ path: String) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                retrying { systemWrite(file, UnsafeRawBufferPointer(rebasing: bytes[written...])) }
            }
            guard count > 0 else { throw failure("write", path) }
            written += count
        }
        guard fsync(file) == 0 else { throw failure("sync", path) }
    }

    /// Makes the rename durable. The new file itself is synced already, so a failure here does not matter.
    private func syncDirectory(of path: String) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let file = open(directory, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = fsync(file)
        _ = close(file)
    }

    private func failure(_ operation: String, _ path: String) -> DiskError {
        DiskError(operation, path, String(cString: strerror(errno)))
    }

    /// Repeats a call that a signal interrupted.
    private func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

// These functions are outside the type, because its methods have the same names as the system calls.

private func systemRead(_ file: CInt, _ buffer: inout [UInt8], _ count: Int) -> Int {
    buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, min(count, $0.count)) }
}

private func systemWrite(_ file: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
