public import LinkRouting

extension AppleDecision {
    /// The decision as JSON, with the keys `decision`, `app`, `entry`, `rule`, `mergedRule`, `tried`, `notes`,
    /// `assumptions`, `reason`, `pointer` and `triedOmitted`. Keys without a value are left out.
    public var json: JSONNode {
        .object([
            "decision": .string(outcome.rawValue),
            "app": app.map(JSONNode.string),
            "entry": entry.map { .int($0) },
            "rule": rule.map { .int($0) },
            "mergedRule": mergedRule?.json,
            "tried": tried.isEmpty ? nil : .array(tried.map(\.json)),
            "notes": notes.isEmpty ? nil : .array(notes.map(\.json)),
            "assumptions": assumptions.isEmpty ? nil : .array(assumptions.map(JSONNode.string)),
            "reason": reason.map { .string($0.rawValue) },
            "pointer": pointer.map(JSONNode.string),
            "triedOmitted": triedOmitted > 0 ? .int(triedOmitted) : nil,
        ])
    }
}

extension AppleDecision.TriedRule {
    public var json: JSONNode {
        .object([
            "entry": .int(entry), "rule": .int(rule), "pointer": .string(pointer), "matches": .bool(matches),
            "parts": .array(parts.map(\.json)),
        ])
    }
}

extension AppleDecision.Part {
    /// The part as JSON. Texts of more than 512 Unicode scalars are cut and end in `…`. The file has the full text, and
    /// a large file must not make the answer large.
    public var json: JSONNode {
        .object([
            "part": .string(kind.rawValue), "name": name.map(Self.shortened), "expected": Self.shortened(expected),
            "found": found.map(Self.shortened), "matches": .bool(matches), "level": .string(level.rawValue),
        ])
    }

    private static func shortened(_ text: String) -> JSONNode {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: 512, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return .string(text) }
        return .string(String(scalars[..<end]) + "…")
    }
}

extension AppleDecision.Note {
    public var json: JSONNode {
        .object([
            "label": .string(label.rawValue), "code": .string(code.rawValue), "pointer": pointer.map(JSONNode.string),
            "message": .string(message),
        ])
    }
}
