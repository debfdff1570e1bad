package import LinkRouting
import Synchronization

/// The value of `Date`, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7); formatted once a second.
package final class ResponseDate: Sendable {
    private let time: @Sendable () -> Timestamp
    private let last = Mutex((second: Int64.min, text: ""))

    /// - Parameter time: The wall clock.
    package init(_ time: @escaping @Sendable () -> Timestamp) { self.time = time }

    package var now: String {
        let second = time().milliseconds / 1_000
        return last.withLock { last in
            if last.second != second { last = (second, Self.text(second)) }
            return last.text
        }
    }

    static func text(_ second: Int64) -> String {
        let day = Timestamp(milliseconds: second * 1_000).day
        let (year, month, number) = day.components
        let rest = second - day.daysSince1970 * 86_400
        // 1 January 1970 was a Thursday.
        let weekday = weekdays[Int((day.daysSince1970 % 7 + 7) % 7)]
        return "\(weekday), \(two(number)) \(months[Int(month) - 1]) \(year) "
            + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
