/// Why a stub server cannot start.
package struct StubStartFailure: Error, CustomStringConvertible {
    package enum Kind: Sendable {
        case unreadableMapping, address, productionData, otherContent
    }

    package let kind: Kind
    package let description: String
    /// Further lines.
    package let details: [String]
}
