import GRDB

/// Why a file of the data directory cannot be used, and what to do.
package enum StorageError: Error, Sendable, CustomStringConvertible {
    case locked(directory: String, holder: String)
    case newerSchema(file: String, found: Int, known: Int)
    case foreignFile(file: String)
    case corrupt(file: String, detail: String)
    case unusable(file: String, detail: String)
    case wrongSetting(file: String, setting: String, found: String)

    package var description: String {
        switch self {
        case .locked(let directory, let holder):
            "\(directory) is in use by process \(holder); stop it first, or name another directory with --data."
        case .newerSchema(let file, let found, let known):
            "\(file) has schema \(found), this fingerpost knows up to \(known): start a newer fingerpost, or restore a backup "
                + "made by this one."
        case .foreignFile(let file):
            "\(file) is a SQLite file, but not one of Fingerpost's: move it away, or name another directory with --data."
        case .corrupt(let file, let detail):
            "\(file) is damaged (\(detail)). Nothing was changed: follow deploy/runbooks/corrupt-file.md."
        case .unusable(let file, let detail):
            "\(file) cannot be opened (\(detail)): check that it is a file the service may read and write."
        case .wrongSetting(let file, let setting, let found):
            "\(file): \(setting) is \(found), so acknowledged events could be lost. This is a bug: please report it."
        }
    }

    /// What a failed opening means.
    init(_ error: DatabaseError, file: String) {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self = .corrupt(file: file, detail: error.message ?? "\(error.resultCode)")
        default: self = .unusable(file: file, detail: error.message ?? "\(error.resultCode)")
        }
    }
}
