package import Foundation

/// The folder of an authority: `ca.pem` for everyone, and `ca-key.pem`, which only its owner may read.
package struct AuthorityFolder: Sendable {
    private let path: String

    package init(_ path: String) { self.path = path }

    private var certificateFile: String { path + "/ca.pem" }
    private var keyFile: String { path + "/ca-key.pem" }

    /// Reads the authority, or makes one if the folder does not exist or is empty.
    package func authority(now: Date) throws(StubAuthority.Failure) -> (authority: StubAuthority, isNew: Bool) {
        let content = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        if content.isEmpty, try create(now: now) { return (try read(now: now), true) }
        return (try read(now: now), false)
    }

    private func read(now: Date) throws(StubAuthority.Failure) -> StubAuthority {
        guard let status = FileManager.default.status(atPath: keyFile),
            FileManager.default.fileExists(atPath: certificateFile)
        else {
            throw StubAuthority.Failure(
                description: "\(path) has no ca.pem with its ca-key.pem; name a new folder, or the one of an authority"
            )
        }
        guard let mode = status[.posixPermissions] as? Int, mode & 0o077 == 0 else {
            throw StubAuthority.Failure(description: "other users can read \(keyFile); run: chmod 600 \(keyFile)")
        }
        return try StubAuthority(
            path: certificateFile,
            pem: try text(certificateFile),
            key: try text(keyFile),
            now: now
        )
    }

    private func text(_ file: String) throws(StubAuthority.Failure) -> String {
        do {
            return try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw StubAuthority.Failure(
                description: "\(file) cannot be read: \(error.localizedDescription); run the command as its owner"
            )
        }
    }

    /// Writes both files to a temporary folder and renames it, so that no reader sees half of it. Returns false if
    /// another process was faster.
    private func create(now: Date) throws(StubAuthority.Failure) -> Bool {
        let temporary = "\(path).\(UUID().uuidString)"
        do {
            let authority = try StubAuthority(new: certificateFile, now: now)
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent.nonEmpty ?? ".",
                withIntermediateDirectories: true
            )
            defer { try? FileManager.default.removeItem(atPath: temporary) }
            guard mkdir(temporary, 0o700) == 0 else { throw StubAuthority.Failure(posix: "create", temporary) }
            try Self.write(authority.pem, to: temporary + "/ca.pem", mode: 0o644)
            try Self.write(authority.privateKeyPEM, to: temporary + "/ca-key.pem", mode: 0o600)
            guard rename(temporary, path) == 0 else {
                guard errno == ENOTEMPTY || errno == EEXIST else {
                    throw StubAuthority.Failure(posix: "create", path)
                }
                return false
            }
            return true
        } catch let failure as StubAuthority.Failure {
            throw failure
        } catch {
            throw StubAuthority.Failure(
                description: "\(path) cannot be created: \(error.localizedDescription); name another folder"
            )
        }
    }

    private static func write(_ text: String, to file: String, mode: mode_t) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw StubAuthority.Failure(posix: "create", file) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.synchronize()
        try handle.close()
    }
}

extension StubAuthority.Failure {
    /// The system's message for `errno`.
    fileprivate init(posix action: String, _ path: String) {
        self.init(description: "cannot \(action) \(path): \(String(cString: strerror(errno))); name another folder")
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
