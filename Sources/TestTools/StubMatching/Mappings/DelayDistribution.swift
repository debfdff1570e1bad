package import LinkRouting

/// A random delay.
package struct DelayDistribution: Sendable {
    package enum Kind: Sendable {
        case fixed(milliseconds: Int)
        case uniform(lower: Int, upper: Int)
        /// The median in milliseconds and the standard deviation of the logarithm; at most `maximum` milliseconds.
        case lognormal(median: Double, sigma: Double, maximum: Double)
    }

    package let kind: Kind
    package let json: JSONNode

    package init(_ field: MappingField) throws(MappingError) {
        guard let type = field["type"] else { throw field.error("type is missing; write fixed, uniform or lognormal.") }
        switch type.node.text {
        case "fixed":
            try field.requireKeys(["type", "milliseconds"])
            kind = .fixed(milliseconds: try field["milliseconds"]?.int(in: 0...ResponseDefinition.longestDelay) ?? 0)
        case "uniform":
            try field.requireKeys(["type", "lower", "upper"])
            let lower = try field["lower"]?.int(in: 0...ResponseDefinition.longestDelay) ?? 0
            let upper = try field["upper"]?.int(in: 0...ResponseDefinition.longestDelay) ?? 0
            guard lower <= upper else { throw field.error("lower is larger than upper.") }
            kind = .uniform(lower: lower, upper: upper)
        case "lognormal":
            try field.requireKeys(["type", "median", "sigma", "maxValue"])
            let longest = Double(ResponseDefinition.longestDelay)
            kind = .lognormal(
                median: try field["median"]?.double(in: 0...longest) ?? 0,
                sigma: try field["sigma"]?.double(in: 0...10) ?? 0,
                maximum: try field["maxValue"]?.double(in: 0...longest) ?? longest
            )
        default: throw field.error("the type is fixed, uniform or lognormal.")
        }
        json = field.node
    }
}
