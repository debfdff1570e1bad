import HTTPTransport
import Hummingbird

extension Request {
    /// Returns a query parameter; nil if it is missing.
    func parameter(_ name: String) -> String? { uri.queryParameters.get(name) }

    /// Reads `?limit=`.
    func limit(_ range: ClosedRange<Int>, default count: Int) throws -> Int {
        guard let text = parameter("limit") else { return count }
        guard let limit = Int(text), range.contains(limit) else {
            throw Problem(
                .invalidRequest,
                "'limit' must be a number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return limit
    }
}
