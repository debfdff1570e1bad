import Foundation

/// The pages of code that the process has mapped.
enum CodePages {
    /// Takes all pages of code out of the resident memory. Those that run again are mapped again, from the system's file
    /// cache.
    ///
    /// The start reads most of the binary once: the parser of the command line casts values, and the Swift runtime looks
    /// up conformances in the tables of all modules. A stub server then needs a small part of it, for hours and in many
    /// copies. On other systems than Linux this does nothing.
    static func release() {
        #if os(Linux)
            guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
            for line in maps.split(separator: "\n") {
                // 7f00a0000000-7f00a0200000 r-xp 00000000 fe:00 1234   /usr/lib/x86_64-linux-gnu/libz.so.1
                let columns = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
                // Private code of a file is never written, so the file has the same content.
                guard columns.count == 6, columns[1] == "r-xp", columns[5].contains("/") else { continue }
                let bounds = columns[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                guard bounds.count == 2, bounds[0] < bounds[1] else { continue }
                madvise(UnsafeMutableRawPointer(bitPattern: bounds[0]), Int(bounds[1] - bounds[0]), MADV_DONTNEED)
            }
        #endif
    }
}
