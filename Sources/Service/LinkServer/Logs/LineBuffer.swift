/// A bounded buffer of log lines that wait to be written. Lines that do not fit are dropped and counted.
package struct LineBuffer: Sendable {
    private let capacity: Int
    private var bytes: [UInt8] = []
    /// Number of lines dropped since the last ``take(_:)``.
    private var lost = 0

    /// - Parameter capacity: Size of all lines together, in bytes.
    package init(capacity: Int) { self.capacity = capacity }

    package var isEmpty: Bool { bytes.isEmpty && lost == 0 }

    /// Appends a line or drops it. After a dropped line all others are dropped as well, so that the gap is in one
    /// place.
    package mutating func append(_ line: [UInt8]) {
        guard lost == 0, line.count <= capacity - bytes.count else {
            lost += 1
            return
        }
        bytes += line
    }

    /// Removes and returns all lines, with a line at the end that tells how many were dropped.
    package mutating func take(_ lineAboutLost: (_ count: Int) -> [UInt8]) -> [UInt8] {
        let taken = lost > 0 ? bytes + lineAboutLost(lost) : bytes
        bytes = []
        lost = 0
        return taken
    }
}
