public import LinkRouting

extension AppleAppSiteAssociation {
    /// Returns a short verdict for each app that `applinks` names, in the order of the file: `app`, `decision`, `reason`
    /// and `pointer`. The apps share the steps of one decision. Each needs a pass over the file, so a large file has
    /// verdicts for its first apps only.
    public func verdicts(for url: String, domain: String? = nil) -> [JSONNode] {
        var seen: Set<String> = []
        let named = (applinks?.details ?? []).flatMap(\.appIDs).filter { seen.insert($0).inserted }
        let apps = named.prefix(root.maximumVerdicts)
        return apps.map {
            decision(for: url, app: $0, domain: domain, within: .decision(sharedBy: apps.count)).json.verdict
        }
    }
}

extension JSONNode {
    /// The maximum number of apps with verdicts in one file: 1,000, or 1,000,000 divided by the number of the file's
    /// values if that is less.
    var maximumVerdicts: Int { min(1_000, max(1, 1_000_000 / valueCount)) }

    /// The number of values, with lists and objects, at least 1.
    private var valueCount: Int {
        switch value {
        case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
        case .object(let members): members.reduce(1) { $0 + $1.value.valueCount }
        case .null, .bool, .number, .string: 1
        }
    }

    /// A decision without the rules that were compared, which are many.
    var verdict: JSONNode {
        .object([
            "app": self["app"], "decision": self["decision"], "reason": self["reason"], "pointer": self["pointer"],
        ])
    }

    /// Returns the decision's object with the verdicts for several apps under `apps`.
    public func adding(apps verdicts: [JSONNode]) -> JSONNode {
        guard verdicts.count > 1, let members else { return self }
        return JSONNode(.object(members + [Member("apps", .array(verdicts))]))
    }
}
