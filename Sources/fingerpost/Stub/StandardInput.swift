import Foundation

/// Waits for the end of standard input.
enum StandardInput {
    enum End {
        /// There never was any input to wait for, as in a background job of a shell.
        case atOnce
        case later
    }

    /// Reads to the end, on the calling thread.
    static func waitForEnd() -> End {
        var end = End.atOnce
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            var state = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            if poll(&state, 1, 0) == 0 { end = .later }
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 || (count < 0 && errno == EINTR) else { return end }
        }
    }
}
