import LinkRouting
import StubMatching

/// The settings of `/__admin/settings`.
struct StubSettings: Sendable {
    private(set) var fixedDelay: Int?
    private(set) var delay: DelayDistribution?
    /// Whether a request that matches a proxying stub goes to its target; otherwise it gets a 404.
    private(set) var proxiesPassThrough: Bool?
    private var extended: JSONNode?

    init() {}

    init(_ field: MappingField) throws(MappingError) {
        try field.requireKeys(["fixedDelay", "delayDistribution", "extended", "proxyPassThrough"])
        fixedDelay = try field["fixedDelay"]?.int(in: 0...ResponseDefinition.longestDelay)
        delay = try field["delayDistribution"].map { delay throws(MappingError) in try DelayDistribution(delay) }
        proxiesPassThrough = try field["proxyPassThrough"]?.bool()
        extended = field["extended"]?.node
    }

    /// Replaces members of `extended`, and adds new ones.
    mutating func extend(_ members: [JSONNode.Member]) {
        var merged = extended?.members ?? []
        for member in members {
            if let index = merged.firstIndex(where: { $0.key.isExactly(member.key) }) {
                merged[index] = member
            } else {
                merged.append(member)
            }
        }
        extended = .object(merged)
    }

    var json: JSONNode {
        .object([
            "fixedDelay": fixedDelay.map { .int($0) },
            "delayDistribution": delay?.json,
            "proxyPassThrough": proxiesPassThrough.map(JSONNode.bool),
            "extended": extended,
        ])
    }
}
