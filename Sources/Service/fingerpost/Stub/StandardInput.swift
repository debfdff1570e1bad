import Foundation

/// Waits for the end of standard input.
enum StandardInput {
    /// Whether standard input is open and has no data to read. In a background job of a shell, it is at its end.
    static var isWaiting: Bool {
        var state = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 0
    }

    /// Reads to the end, on the calling thread. Returns whether it had to wait.
    static func readToEnd() -> Bool {
        var hasWaited = false
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            if isWaiting { hasWaited = true }
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 || (count < 0 && errno == EINTR) else { return hasWaited }
        }
    }
}
