/// The type of a path's segment, which is recorded instead of the segment.
enum SegmentType: String, CaseIterable {
    /// As a parameter of the type `int` captures it: without leading zeros.
    case int
    /// 2026-11-23.
    case date
    case uuid
    /// At least 16 hexadecimal digits, such as a hash or a token.
    case hex
    /// ASCII letters, digits, `-`, `_` and `.`.
    case slug
    case text

    /// Returns nil for an empty segment.
    init?(of segment: ArraySlice<UInt8>) {
        guard !segment.isEmpty else { return nil }
        self =
            if segment.isInteger {
                .int
            } else if segment.has(groups: [4, 2, 2], of: \.isDigit) {
                .date
            } else if segment.has(groups: [8, 4, 4, 4, 12], of: \.isHexDigit) {
                .uuid
            } else if segment.count >= 16, segment.allSatisfy(\.isHexDigit) {
                .hex
            } else if segment.allSatisfy(\.isSlug) {
                .slug
            } else {
                .text
            }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var isInteger: Bool {
        allSatisfy(\.isDigit) && (count == 1 || first != UInt8(ascii: "0"))
            && Int64(String(decoding: self, as: UTF8.self)) != nil
    }

    /// Whether the bytes are groups of these lengths, separated by `-`.
    fileprivate func has(groups lengths: [Int], of isMember: (UInt8) -> Bool) -> Bool {
        let groups = split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == lengths && groups.joined().allSatisfy(isMember)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isHexDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }

    fileprivate var isSlug: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || "-_.".utf8.contains(self)
    }
}
