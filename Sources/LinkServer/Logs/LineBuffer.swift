/// Lines that wait until somebody writes them, within a bound. What finds no room is dropped and counted.
package struct LineBuffer: Sendable {
    private let capacity: Int
    private var bytes: [UInt8] = []
    /// Of lines that were dropped since the others were taken last.
    private var lost = 0

    /// - Parameter capacity: Of all lines together, in bytes.
    package init(capacity: Int) { self.capacity = capacity }

    package var isEmpty: Bool { bytes.isEmpty && lost == 0 }

    /// Behind a line that was dropped no other is kept, so that the gap is in one place.
    package mutating func append(_ line: [UInt8]) {
        guard lost == 0, line.count <= capacity - bytes.count else {
            lost += 1
            return
        }
        bytes += line
    }

    /// Gives all lines away, at their end one that says how many were dropped.
    package mutating func take(_ lineAboutLost: (_ count: Int) -> [UInt8]) -> [UInt8] {
        let taken = lost > 0 ? bytes + lineAboutLost(lost) : bytes
        bytes = []
        lost = 0
        return taken
    }
}
