import Foundation
import Synchronization

/// Random numbers for event ids. Reads 256 at a time, because one system call costs as much as the rest of an id.
final class BufferedRandom: Sendable {
    private let words = Mutex<[UInt64]>([])
    private let source = FileHandle(forReadingAtPath: "/dev/urandom")

    @Sendable func next() -> UInt64 {
        words.withLock { words in
            if words.isEmpty, let bytes = try? source?.read(upToCount: 256 * MemoryLayout<UInt64>.size) {
                words = bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
            }
            return words.popLast() ?? .random(in: .min ... .max)
        }
    }
}
