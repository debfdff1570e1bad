/// The files of a client. Only POSIX calls and the failing disks of tests implement it.
package protocol ClientDisk: Sendable {
    /// Returns the content of a file; nil if there is none.
    ///
    /// - Parameter limit: A longer file is not read to its end; the result has at most one byte more.
    func read(_ path: String, upTo limit: Int) throws(DiskError) -> [UInt8]?
    /// Replaces a file by one with this content. After a crash at any time, the file has either content.
    func replace(_ path: String, with bytes: [UInt8]) throws(DiskError)
    /// Appends to a file and syncs it. After a crash, some of the bytes may be missing at the end.
    func append(_ bytes: [UInt8], to path: String) throws(DiskError)
    /// Creates a directory and its parents, for the owner only.
    func createDirectory(_ path: String) throws(DiskError)
}

/// A failed operation on a file.
package struct DiskError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ operation: String, _ path: String, _ reason: String) {
        description = "cannot \(operation) '\(path)': \(reason)"
    }
}
