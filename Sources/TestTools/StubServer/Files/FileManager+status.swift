import Foundation

extension FileManager {
    /// The attributes of a file, or of the file that a symbolic link leads to; nil if there is none.
    ///
    /// `stat` is not used: which module declares its structure depends on the files that are compiled together.
    func status(atPath path: String) -> [FileAttributeKey: Any]? {
        try? attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path)
    }
}
