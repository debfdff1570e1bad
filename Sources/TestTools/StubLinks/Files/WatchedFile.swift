import Foundation

/// A file with its text as it was last read.
struct WatchedFile: Sendable {
    let path: String
    private(set) var text: String
    private var stamp: Stamp

    static let maximumBytes = 32 << 20

    /// The attributes that change when a file is written. Clocks of file systems are coarse, so a file that was written
    /// shortly before it was read may change again with the same stamp.
    private struct Stamp: Hashable {
        let written: Date
        let size: Int
        let number: Int
        /// Whether the file was written so long before it was read that a later write has another time.
        let isSettled: Bool

        static let settlingSeconds = 2.0
    }

    /// - Throws: ``UnusableFile``.
    init(_ path: String) throws {
        self.path = path
        (text, stamp) = try Self.read(path)
    }

    /// Reads the file again if it may have changed. Returns whether its text is another one.
    ///
    /// - Throws: ``UnusableFile``; the text stays.
    mutating func update() throws -> Bool {
        let found = try Self.stamp(of: path)
        guard found != stamp || !stamp.isSettled else { return false }
        let earlier = text
        (text, stamp) = try Self.read(path)
        return text != earlier
    }

    private static func stamp(of path: String) throws -> Stamp {
        // `attributesOfItem` describes a symbolic link itself.
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
            throw UnusableFile(path, "there is no such file; check the path.")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw UnusableFile(path, "this is not a file; name a file.")
        }
        let written = attributes[.modificationDate] as? Date ?? .distantPast
        return Stamp(
            written: written,
            size: attributes[.size] as? Int ?? 0,
            number: attributes[.systemFileNumber] as? Int ?? 0,
            isSettled: Date().timeIntervalSince(written) > Stamp.settlingSeconds
        )
    }

    private static func read(_ path: String) throws -> (String, Stamp) {
        let stamp = try stamp(of: path)
        guard stamp.size <= maximumBytes else {
            throw UnusableFile(path, "the file has \(stamp.size) bytes; at most \(maximumBytes) are read.")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UnusableFile(path, "the file cannot be read; check its mode.")
        }
        guard data.count <= maximumBytes, let text = String(validating: data, as: UTF8.self) else {
            throw UnusableFile(path, "the file is not UTF-8; save it as UTF-8.")
        }
        return (text, stamp)
    }
}
