package import LinkRouting

/// The states of scenarios. A scenario exists while a stub names it, and starts in `Started`.
package struct Scenarios: Sendable {
    package static let started = "Started"

    /// Scenarios in the order in which stubs named them first.
    private var states: [(name: String, state: String)] = []
    private var indices: [ExactText: Int] = [:]

    package init() {}

    /// The state; nil when no stub names the scenario.
    package func state(of name: String) -> String? { indices[ExactText(name)].map { states[$0].state } }

    /// Adds the scenario of a new stub.
    package mutating func add(_ name: String) {
        guard indices[ExactText(name)] == nil else { return }
        indices[ExactText(name)] = states.count
        states.append((name, Self.started))
    }

    /// Adds scenarios that stubs name and removes those that none names any more.
    package mutating func update(for stubs: [StubStore.Entry]) {
        let names = stubs.sorted { $0.order < $1.order }.compactMap(\.stub.scenario)
        let known = Set(names.map { ExactText($0) })
        states.removeAll { !known.contains(ExactText($0.name)) }
        indices = Dictionary(uniqueKeysWithValues: states.enumerated().map { (ExactText($1.name), $0) })
        for name in names { add(name) }
    }

    package mutating func set(_ name: String, to state: String) {
        guard let index = indices[ExactText(name)] else { return }
        states[index].state = state
    }

    package mutating func reset() {
        for index in states.indices { states[index].state = Self.started }
    }

    /// The states that stubs of the scenario require or set.
    package static func possibleStates(of name: String, in stubs: [StubStore.Entry]) -> [String] {
        let own = stubs.filter { $0.stub.scenario?.isExactly(name) == true }.sorted { $0.order < $1.order }
        var states: [String] = []
        for state in own.compactMap(\.stub.newState) + own.compactMap(\.stub.requiredState)
        where !states.contains(where: state.isExactly) {
            states.append(state)
        }
        return states
    }

    /// The answer of `GET /__admin/scenarios`.
    package func json(stubs: [StubStore.Entry]) -> JSONNode {
        .object([
            "scenarios": .array(
                states.map { name, state in
                    .object([
                        "id": .string(name),
                        "name": .string(name),
                        "state": .string(state),
                        "possibleStates": .array(Self.possibleStates(of: name, in: stubs).map(JSONNode.string)),
                        "mappings": .array(
                            stubs.filter { $0.stub.scenario?.isExactly(name) == true }.map(\.stub.json)
                        ),
                    ])
                }
            )
        ])
    }
}
