import LinkClient
import Synchronization

/// Files in memory that can fail like a real disk.
final class MemoryDisk: ClientDisk {
    struct Content: Sendable {
        var files: [String: [UInt8]] = [:]
        /// Why the next writes fail; nil while they succeed.
        var failure: String?
        /// Bytes that an append still writes before it fails.
        var partialBytes = 0
        var writes = 0
    }

    private let content = Mutex(Content())

    func read(_ path: String, upTo limit: Int) throws(DiskError) -> [UInt8]? {
        content.withLock { $0.files[path].map { Array($0.prefix(limit + 1)) } }
    }

    func replace(_ path: String, with bytes: [UInt8]) throws(DiskError) {
        let failure = content.withLock { content -> String? in
            if content.failure == nil {
                content.files[path] = bytes
                content.writes += 1
            }
            return content.failure
        }
        if let failure { throw DiskError("replace", path, failure) }
    }

    func append(_ bytes: [UInt8], to path: String) throws(DiskError) {
        let failure = content.withLock { content -> String? in
            let written = content.failure == nil ? bytes.count : min(content.partialBytes, bytes.count)
            content.files[path, default: []] += bytes[..<written]
            return content.failure
        }
        if let failure { throw DiskError("write", path, failure) }
    }

    func createDirectory(_ path: String) throws(DiskError) {}

    subscript(path: String) -> [UInt8]? {
        get { content.withLock { $0.files[path] } }
        set { content.withLock { $0.files[path] = newValue } }
    }

    func fail(_ reason: String?, afterBytes partialBytes: Int = 0) {
        content.withLock { content in
            content.failure = reason
            content.partialBytes = partialBytes
        }
    }

    var writes: Int { content.withLock { $0.writes } }
}
