import Foundation
import Synchronization

/// Standard error, written in whole lines.
package enum StandardError {
    private static let writer = Mutex<(@Sendable ([UInt8]) -> Void)?>(nil)

    package static func write(_ line: [UInt8]) {
        guard let writer = writer.withLock({ $0 }) else {
            // A failed write to standard error cannot be reported anywhere.
            _ = writeAll(line, to: STDERR_FILENO)
            return
        }
        writer(line)
    }

    /// Passes all further lines to `writer`.
    package static func redirect(to writer: @escaping @Sendable ([UInt8]) -> Void) {
        Self.writer.withLock { $0 = writer }
    }
}
