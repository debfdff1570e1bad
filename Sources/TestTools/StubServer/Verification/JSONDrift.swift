import LinkRouting
import StubMatching

/// The places where a JSON value differs from a recorded one. The recursion is bounded by the depth of the documents.
struct JSONDrift {
    private let ignored: Set<String>
    private(set) var differences: [VerifiedStub.Difference] = []

    /// Further differences of one document are not listed.
    static let maximumDifferences = 20

    /// - Parameter ignored: Names of members that are not compared, at any depth.
    init(ignoring ignored: Set<String>) { self.ignored = ignored }

    mutating func compare(_ recorded: JSONNode, with actual: JSONNode, at pointer: String = "") {
        guard differences.count < Self.maximumDifferences else { return }
        switch (recorded.value, actual.value) {
        // Recordings have this text instead of a secret.
        case (.string(SecretMask.text), _): return
        case (.array(let recorded), .array(let actual)):
            for (index, pair) in zip(recorded, actual).enumerated() {
                compare(pair.0, with: pair.1, at: "\(pointer)/\(index)")
            }
            if recorded.count != actual.count {
                add(pointer, "\(recorded.count) elements", "\(actual.count) elements")
            }
        case (.object(let recorded), .object(let actual)): compare(recorded, with: actual, at: pointer)
        default:
            // This compares numbers by value, and takes the placeholders of `equalToJson`.
            let isEqual = (try? JSONEquality(expected: recorded).matches(actual)) ?? (recorded == actual)
            if !isEqual { add(pointer, Self.shown(recorded), Self.shown(actual)) }
        }
    }

    private mutating func compare(
        _ recorded: [JSONNode.Member],
        with actual: [JSONNode.Member],
        at pointer: String
    ) {
        // The last value of a repeated key counts.
        let found = Dictionary(actual.map { (ExactText($0.key), $0.value) }) { $1 }
        let known = Dictionary(recorded.map { (ExactText($0.key), $0.value) }) { $1 }
        for (key, value) in known.sorted(by: { $0.key < $1.key }) where !ignored.contains(key.description) {
            let location = "\(pointer)/\(escapedForPointer(key.description))"
            if let other = found[key] {
                compare(value, with: other, at: location)
            } else {
                add(location, Self.shown(value), "nothing")
            }
        }
        for (key, value) in found.sorted(by: { $0.key < $1.key })
        where known[key] == nil && !ignored.contains(key.description) {
            add("\(pointer)/\(escapedForPointer(key.description))", "nothing", Self.shown(value))
        }
    }

    private mutating func add(_ pointer: String, _ recorded: String, _ actual: String) {
        guard differences.count < Self.maximumDifferences else { return }
        differences.append(
            VerifiedStub.Difference(location: pointer.isEmpty ? "/" : pointer, recorded: recorded, actual: actual)
        )
    }

    static func shown(_ node: JSONNode) -> String { shown(node.json()) }

    static func shown(_ text: String) -> String { text.utf8.count <= 120 ? text : "\(text.prefix(100))…" }
}
