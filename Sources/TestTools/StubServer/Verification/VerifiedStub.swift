package import LinkRouting

/// The response of a target to the request of one stub.
package struct VerifiedStub: Sendable {
    package let name: String
    package let method: String
    package let url: String
    package let outcome: Outcome

    package enum Outcome: Sendable {
        case same
        case drift([Difference])
        /// The target gave no answer.
        case unanswered(String)
        /// The stub has no request that could be sent.
        case skipped(String)

        fileprivate var name: String {
            switch self {
            case .same: "same"
            case .drift: "drift"
            case .unanswered: "unanswered"
            case .skipped: "skipped"
            }
        }
    }

    package struct Difference: Sendable, Hashable {
        /// `status`, `header NAME`, `body`, or the JSON pointer of a value.
        package let location: String
        package let recorded: String
        package let actual: String
    }

    fileprivate var json: JSONNode {
        var differences: [Difference]?
        var reason: String?
        switch outcome {
        case .same: break
        case .drift(let found): differences = found
        case .unanswered(let text), .skipped(let text): reason = text
        }
        return .object([
            "stub": .string(name),
            "method": .string(method),
            "url": .string(url),
            "outcome": .string(outcome.name),
            "reason": reason.map(JSONNode.string),
            "differences": differences.map { differences in
                .array(
                    differences.map { difference in
                        .object([
                            "place": .string(difference.location),
                            "recorded": .string(difference.recorded),
                            "actual": .string(difference.actual),
                        ])
                    }
                )
            },
        ])
    }

    fileprivate var lines: [String] {
        let title = "\(method) \(url) (\(name))"
        switch outcome {
        case .same: return ["same        \(title)"]
        case .unanswered(let reason): return ["unanswered  \(title): \(reason)"]
        case .skipped(let reason): return ["skipped     \(title): \(reason)"]
        case .drift(let differences):
            return ["drift       \(title)"]
                + differences.map { "            \($0.location): recorded \($0.recorded), now \($0.actual)" }
        }
    }
}

/// The responses of a target to the requests of a folder's stubs.
package struct VerificationReport: Sendable {
    package let target: String
    package let stubs: [VerifiedStub]

    package var sameCount: Int { stubs.count { if case .same = $0.outcome { true } else { false } } }
    package var driftCount: Int { stubs.count { if case .drift = $0.outcome { true } else { false } } }
    package var unansweredCount: Int { stubs.count { if case .unanswered = $0.outcome { true } else { false } } }
    package var skippedCount: Int { stubs.count { if case .skipped = $0.outcome { true } else { false } } }

    package var json: JSONNode {
        .object([
            "target": .string(target),
            "same": .int(sameCount),
            "drift": .int(driftCount),
            "unanswered": .int(unansweredCount),
            "skipped": .int(skippedCount),
            "stubs": .array(stubs.map(\.json)),
        ])
    }

    package var lines: [String] {
        stubs.flatMap(\.lines) + [
            "\(sameCount) same, \(driftCount) drifted, \(unansweredCount) unanswered, \(skippedCount) skipped"
        ]
    }
}
