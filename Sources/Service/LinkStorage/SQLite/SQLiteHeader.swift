import Foundation

/// Checks the first 100 bytes of a SQLite file (sqlite.org/fileformat2.html) before SQLite opens the file. Opening
/// already writes, because a pool switches the file to WAL, and a foreign file must stay unchanged.
enum SQLiteHeader {
    private static let length = 100
    private static let magic = Array("SQLite format 3\0".utf8)
    private static let pageSizeOffset = 16
    private static let changesOffset = 24
    private static let pageCountOffset = 28
    private static let userVersionOffset = 60
    private static let applicationIDOffset = 68
    private static let countedChangesOffset = 92

    /// Throws `StorageError` unless the file has a header that matches this schema. Returns the number of its migrations.
    @discardableResult static func inspect(_ path: String, _ schema: SQLiteSchema) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw unusable(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "it is a directory" : "it is not a regular file"
            throw StorageError.unusable(file: path, detail: kind)
        }
        let header = try read(path)
        guard header.count == length else {
            throw StorageError.corrupt(file: path, detail: header.isEmpty ? "it is empty" : "it is truncated")
        }
        guard header.starts(with: magic) else {
            throw StorageError.corrupt(file: path, detail: "it has no SQLite header")
        }
        guard number(header, at: applicationIDOffset) == schema.applicationID else {
            throw StorageError.foreignFile(file: path)
        }
        guard try isWhole(path, header) else {
            // Another connection may have written the header and truncated the file since the header was read.
            guard try read(path) == header else { return try inspect(path, schema) }
            throw StorageError.corrupt(file: path, detail: "it is truncated")
        }
        // The WAL may hold a higher version; the version is checked again once the file is open.
        return try schema.migrationCount(of: path, version: Int(number(header, at: userVersionOffset)))
    }

    /// Whether the file has the length of its header, or the rest may be in its WAL. A checkpoint of another connection
    /// writes the header first and empties the WAL last, so the length is read last: without a WAL, it is final.
    private static func isWhole(_ path: String, _ header: [UInt8]) throws -> Bool {
        guard !hasWAL(path) else { return true }
        var status = stat()
        guard stat(path, &status) == 0 else { throw unusable(path) }
        return Int64(status.st_size) >= bytes(header)
    }

    /// Returns the file size in bytes according to the header; 0 if the header does not know it.
    private static func bytes(_ header: [UInt8]) -> Int64 {
        guard number(header, at: changesOffset) == number(header, at: countedChangesOffset) else { return 0 }
        let pageSize = Int64(header[pageSizeOffset]) << 8 | Int64(header[pageSizeOffset + 1])
        return Int64(max(0, number(header, at: pageCountOffset))) * (pageSize == 1 ? 65_536 : pageSize)
    }

    /// Whether pages of the file may still be in its WAL. An interrupted checkpoint leaves the file shorter than its
    /// header says.
    private static func hasWAL(_ path: String) -> Bool {
        var status = stat()
        return stat(path + "-wal", &status) == 0 && status.st_size > 0
    }

    /// Reads a big-endian number.
    private static func number(_ header: [UInt8], at offset: Int) -> Int32 {
        header[offset..<offset + 4].reduce(0) { $0 << 8 | Int32($1) }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unusable(path) }
        defer { close(file) }
        var header = [UInt8](repeating: 0, count: length)
        let count = pread(file, &header, length, 0)
        guard count >= 0 else { throw unusable(path) }
        return Array(header[..<count])
    }

    private static func unusable(_ path: String) -> StorageError {
        .unusable(file: path, detail: String(cString: strerror(errno)))
    }
}
