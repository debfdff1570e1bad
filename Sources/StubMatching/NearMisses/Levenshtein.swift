/// Returns the number of UTF-16 units to insert, remove or replace so that one text becomes the other.
///
/// Only the first 2,000 units of each are compared, so that a long body costs a bounded number of steps.
package func levenshteinDistance(_ left: [UInt16], _ right: [UInt16]) -> Int {
    let (left, right) = (left.prefix(2_000), right.prefix(2_000))
    guard !left.isEmpty else { return right.count }
    guard !right.isEmpty else { return left.count }
    var row = Array(0...right.count)
    for (i, one) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in right.enumerated() {
            let cost = min(row[j + 1] + 1, row[j] + 1, diagonal + (one == other ? 0 : 1))
            diagonal = row[j + 1]
            row[j + 1] = cost
        }
    }
    return row[right.count]
}

/// The Levenshtein distance as a share of the longer text: 0 for equal texts, 1 when either is absent.
func normalizedDistance(_ left: String, _ right: String?) -> Double {
    guard let right else { return 1 }
    let (one, other) = (Array(left.utf16), Array(right.utf16))
    let length = max(one.count, other.count)
    guard length > 0 else { return 0 }
    return Double(levenshteinDistance(one, other)) / Double(min(length, 2_000))
}
