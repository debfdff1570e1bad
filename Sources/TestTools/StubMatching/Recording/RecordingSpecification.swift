import LinkRouting

/// The options of a recording: the body of `/__admin/recordings/start` and `/snapshot`.
package struct RecordingSpecification: Sendable {
    package let target: String?
    /// Nil records every request.
    package let filter: RequestPattern?
    package let ids: Set<String>?
    /// Whether answers that no target gave are recorded too.
    package let includesOwnAnswers: Bool
    /// Headers that stubs compare, with the rule for the case of letters.
    let capturedHeaders: [(name: String, ignoresCase: Bool?)]
    let bodyPattern: BodyPattern
    /// Larger bodies are written to files; nil keeps bodies in the stubs.
    let textThreshold: Int?
    let binaryThreshold: Int?
    package let output: Output
    package let isPersistent: Bool
    let repeats: Repeats

    package enum Output: String, Sendable {
        case full = "FULL"
        case ids = "IDS"
    }

    /// The treatment of repeated requests.
    enum Repeats: Sendable {
        /// A scenario with one state a request.
        case scenario
        /// The first answer.
        case first
    }

    struct BodyPattern: Sendable {
        enum Matcher: String, Sendable, CaseIterable {
            case automatic = "auto"
            case json = "equalToJson"
            case text = "equalTo"
        }

        var matcher = Matcher.automatic
        var ignoresArrayOrder = true
        var ignoresExtraElements = true
        var ignoresCase = false
    }

    package init(_ field: MappingField) throws(MappingError) {
        try field.requireKeys(
            [
                "targetBaseUrl", "filters", "captureHeaders", "requestBodyPattern", "extractBodyCriteria",
                "outputFormat",
                "persist", "repeatsAsScenarios", "transformers", "transformerParameters",
            ]
        )
        for transformer in try field["transformers"]?.list() ?? [] {
            throw transformer.error("the custom extension '\(try transformer.text())' is not supported; remove it.")
        }
        target = try field["targetBaseUrl"]?.text()
        let filters = field["filters"]
        let members = filters?.node.members?.filter { !["ids", "allowNonProxied"].contains($0.key) } ?? []
        if let filters, filters.node.members == nil { throw filters.error("write an object.") }
        filter =
            members.isEmpty
            ? nil : try RequestPattern(MappingField(.object(members), pointer: "\(field.pointer)/filters"))
        ids = try filters?["ids"].map { list throws(MappingError) in
            Set(try list.list().map { entry throws(MappingError) in try entry.text().lowercased() })
        }
        includesOwnAnswers = try filters?["allowNonProxied"]?.bool() ?? false
        capturedHeaders =
            try field["captureHeaders"]?.namedValues().map { entry throws(MappingError) in
                try entry.value.requireKeys(["caseInsensitive"])
                return (entry.key, try entry.value["caseInsensitive"]?.bool())
            } ?? []
        bodyPattern =
            try field["requestBodyPattern"].map { pattern throws(MappingError) in
                try Self.bodyPattern(pattern)
            } ?? BodyPattern()
        let criteria = field["extractBodyCriteria"]
        try criteria?.requireKeys(["textSizeThreshold", "binarySizeThreshold"])
        textThreshold = try criteria.map { criteria throws(MappingError) in try Self.size(criteria["textSizeThreshold"])
        }
        binaryThreshold = try criteria.map { criteria throws(MappingError) in
            try Self.size(criteria["binarySizeThreshold"])
        }
        output =
            try field["outputFormat"].map { format throws(MappingError) in
                guard let output = Output(rawValue: try format.text().uppercased()) else {
                    throw format.error("write FULL or IDS.")
                }
                return output
            } ?? .full
        isPersistent = try field["persist"]?.bool() ?? true
        repeats = try field["repeatsAsScenarios"]?.bool() ?? true ? .scenario : .first
    }

    private static func bodyPattern(_ field: MappingField) throws(MappingError) -> BodyPattern {
        try field.requireKeys(
            ["matcher", "ignoreArrayOrder", "ignoreExtraElements", "caseInsensitive"],
            unsupported: ["exemptedComparisons": "XML matching"]
        )
        var pattern = BodyPattern()
        if let matcher = field["matcher"] {
            guard let known = BodyPattern.Matcher(rawValue: try matcher.text()) else {
                let all = BodyPattern.Matcher.allCases.map(\.rawValue).joined(separator: ", ")
                throw matcher.error("the matcher is one of: \(all).")
            }
            pattern.matcher = known
        }
        pattern.ignoresArrayOrder = try field["ignoreArrayOrder"]?.bool() ?? true
        pattern.ignoresExtraElements = try field["ignoreExtraElements"]?.bool() ?? true
        pattern.ignoresCase = try field["caseInsensitive"]?.bool() ?? false
        return pattern
    }

    /// A size such as `100`, `1 kb` or `2 MB`; missing, no size is too large.
    private static func size(_ field: MappingField?) throws(MappingError) -> Int {
        guard let field else { return .max }
        let text = try field.text().lowercased()
        let digits = text.prefix { ("0"..."9").contains($0) }
        let units = ["": 1, "b": 1, "kb": 1_024, "mb": 1_024 * 1_024, "gb": 1_024 * 1_024 * 1_024]
        guard let number = Int(digits), let unit = units[text.dropFirst(digits.count).trimmingBlanks] else {
            throw field.error("write a size such as 100 or 1 kb.")
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow ? .max : bytes
    }
}
