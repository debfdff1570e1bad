import Foundation
import LinkStorage

extension DataDirectory {
    /// Opens the directory that a person named. Throws a ``CommandFailure`` for the path of something else, which would be
    /// reported as unusable or as the data of another build.
    convenience init(named path: String, for purpose: Purpose) throws {
        guard !path.hasPrefix("~") else {
            throw fail("\(path): only a shell replaces '~', so write the whole path.", .wrongConfiguration)
        }
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR else {
            throw fail("\(path) is not a folder; name a data directory with --data.", .ioError)
        }
        let name = path as NSString
        if name.lastPathComponent == "service", access("\(path)/catalog.db", F_OK) == 0,
            access("\(path)/service", F_OK) != 0
        {
            let parent = name.deletingLastPathComponent
            throw fail(
                "\(path) is the folder inside a data directory; use --data \(parent.isEmpty ? "." : parent).",
                .wrongConfiguration
            )
        }
        try self.init(path, for: purpose)
    }
}
