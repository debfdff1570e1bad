/// One pattern of a merged rule, and the URL component that it is compared with.
struct Constraint {
    let kind: AppleDecision.Part.Kind
    let part: URLTexts.Part
    /// The name of a query item; nil for other components.
    var name: String?
    let pattern: String
    let level: AppleAppSiteAssociation.MergedRule.Level
}

extension AppleAppSiteAssociation.MergedRule {
    /// The patterns that the file sets, in the order in which they are compared.
    var constraints: [Constraint] {
        var constraints: [Constraint] = []
        if path.isGiven {
            constraints.append(Constraint(kind: .path, part: .path, pattern: path.value, level: path.level))
        }
        if fragment.isGiven {
            constraints.append(
                Constraint(kind: .fragment, part: .fragment, pattern: fragment.value, level: fragment.level)
            )
        }
        guard query.isGiven else { return constraints }
        switch query.value {
        case .whole(let pattern):
            constraints.append(Constraint(kind: .query, part: .query, pattern: pattern, level: query.level))
        case .items(let items):
            constraints += items.map { item in
                let part = URLTexts.Part.item(Array(item.name.utf8))
                return Constraint(kind: .item, part: part, name: item.name, pattern: item.pattern, level: query.level)
            }
        }
        return constraints
    }

    /// An upper bound of the number of ``constraints``, computed without creating them.
    var constraintCount: Int {
        guard query.isGiven, case .items(let items) = query.value else { return 3 }
        return items.count + 2
    }
}

extension AppleAppSiteAssociation.MergedRule.Setting {
    fileprivate var isGiven: Bool { level != .builtIn && !isVoid }
}
