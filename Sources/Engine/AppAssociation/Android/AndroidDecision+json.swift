public import LinkRouting

extension AndroidDecision {
    /// The decision as JSON, with the keys `decision`, `app`, `entry`, `rule`, `tried`, `notes`, `assumptions`,
    /// `reason`, `pointer` and `triedOmitted`. Keys without a value are left out.
    public var json: JSONNode {
        .object([
            "decision": .string(outcome.rawValue),
            "app": app.map(JSONNode.string),
            "entry": entry.map { .int($0) },
            "rule": rule.map { .int($0) },
            "tried": tried.isEmpty ? nil : .array(tried.map(\.json)),
            "notes": notes.isEmpty ? nil : .array(notes.map(\.json)),
            "assumptions": assumptions.isEmpty ? nil : .array(assumptions.map(JSONNode.string)),
            "reason": reason.map { .string($0.rawValue) },
            "pointer": pointer.map(JSONNode.string),
            "triedOmitted": triedOmitted > 0 ? .int(triedOmitted) : nil,
        ])
    }
}

extension AndroidDecision.TriedRule {
    public var json: JSONNode {
        .object([
            "entry": .int(entry), "rule": .int(rule), "pointer": .string(pointer), "matches": .bool(matches),
            "parts": .array(parts.map(\.json)),
        ])
    }
}

extension AndroidDecision.Part {
    public var json: JSONNode {
        .object([
            "part": .string(kind.rawValue), "name": name.map(JSONNode.string), "expected": .string(expected),
            "found": found.map(JSONNode.string), "matches": .bool(matches),
        ])
    }
}

extension AndroidDecision.Note {
    public var json: JSONNode {
        .object([
            "label": .string(label.rawValue), "code": .string(code.rawValue), "pointer": pointer.map(JSONNode.string),
            "message": .string(message),
        ])
    }
}
