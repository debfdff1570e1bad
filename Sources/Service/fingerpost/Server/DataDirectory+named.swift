import Foundation
import LinkStorage

extension DataDirectory {
    /// Opens the directory that a person named. Throws a ``CommandFailure`` for a path that a shell has not
    /// expanded, and for that of a file.
    convenience init(named path: String, for purpose: Purpose) throws {
        guard !path.hasPrefix("~") else {
            throw fail("\(path): only a shell replaces '~', so write the whole path.", .wrongConfiguration)
        }
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
            throw fail("\(path) is not a folder; name a data directory with --data.", .ioError)
        }
        try self.init(path, for: purpose)
    }
}
