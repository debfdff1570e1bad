import Foundation
import LinkEvents
import LinkTable

/// The files of the signing keys: `FILE` signs, and `FILE.next` signs after the next rotation.
struct TableKeyFiles {
    let path: String
    var nextPath: String { path + ".next" }
    private var previousPath: String { path + ".previous" }

    init(_ path: String) { self.path = path }

    /// The key that signs.
    func current() throws -> TablePrivateKey { try read(path) }

    /// The public keys that apps pin, as text for people.
    func pinned() throws -> [String] {
        let (current, next) = (try read(path).publicKey, try read(nextPath).publicKey)
        return ["current  \(current)  kid \(current.id)", "next     \(next)  kid \(next.id)"]
    }

    func create() throws {
        try create(TablePrivateKey.generate(), at: path)
        try create(TablePrivateKey.generate(), at: nextPath)
    }

    /// Makes the next key the current one. Each step is atomic, so that a key that signs exists at any time.
    ///
    /// - Parameter isReleased: Whether apps have the next key. After a rotation, they first do not.
    /// - Returns: False if there was no next key: then one was created, and nothing is rotated.
    func rotate(isReleased: Bool) throws -> Bool {
        _ = try read(path)
        guard access(nextPath, F_OK) == 0 else {
            try create(TablePrivateKey.generate(), at: nextPath)
            return false
        }
        guard isReleased || access(previousPath, F_OK) != 0 else {
            throw fail(
                "\(previousPath) exists, so the key was rotated before. Apps that lack the next key would take no table: once a "
                    + "release of the apps has it, use --released.",
                .failed
            )
        }
        // A damaged next key must not become the current one.
        _ = try read(nextPath)
        _ = unlink(previousPath)
        guard link(path, previousPath) == 0 else { throw fail("\(FileFailure("link", previousPath))", .ioError) }
        guard rename(nextPath, path) == 0 else { throw fail("\(FileFailure("rename", nextPath))", .ioError) }
        try sync()
        try create(TablePrivateKey.generate(), at: nextPath)
        return true
    }

    private func read(_ path: String) throws -> TablePrivateKey {
        // Advice on the mode would be wrong for another file.
        if let text = try? readText(path), text.utf8.first(where: { $0 > 0x20 }) != UInt8(ascii: "{") {
            throw fail("\(path) is not a key file, which 'fingerpost table keys create' makes.", .unreadableInput)
        }
        do {
            let creation = "fingerpost table keys \(path == self.path ? "create" : "rotate") \(self.path)"
            return try TablePrivateKey(try SecretFile.read(path, key: "signing key", creation: creation))
        } catch let error as ServiceConfiguration.Invalid {
            throw fail(error.message, .unreadableInput)
        } catch let error as TableKeyError {
            throw fail("\(path): \(error)", .unreadableInput)
        }
    }

    /// Writes a new file that only its owner can read.
    private func create(_ key: TablePrivateKey, at path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            guard errno != EEXIST else {
                throw fail("\(path) exists; 'table keys rotate' replaces the key.", .ioError)
            }
            let failure = FileFailure("create", path)
            let advice = failure.code == ENOENT ? ": its directory does not exist; create it, or check the path" : ""
            throw fail("\(path) cannot be written (\(failure.reason))\(advice).", .ioError)
        }
        do {
            let handle = FileHandle(fileDescriptor: file, closeOnDealloc: false)
            try handle.write(contentsOf: Data(key.jwk.utf8))
            guard fsync(file) == 0, close(file) == 0 else { throw FileFailure("write", path) }
        } catch {
            _ = unlink(path)
            throw fail("\(error)", .ioError)
        }
        try sync()
    }

    private func sync() throws {
        let folder = (path as NSString).deletingLastPathComponent
        try Folder.sync(folder.isEmpty ? "." : folder)
    }
}
