import Synchronization

/// How far the process has come, and whether requests may be sent here.
package final class Health: Sendable {
    /// Something that must hold for requests to be answered.
    package struct Check: Sendable {
        let name: String
        private let examine: @Sendable () -> Finding

        /// - Parameter examine: Returns at once, whatever the disk does.
        package init(_ name: String, _ examine: @escaping @Sendable () -> Finding) {
            self.name = name
            self.examine = examine
        }

        package var examined: Finding { examine() }
    }

    package enum Finding: Sendable, Hashable {
        case good(String)
        case bad(String)
    }

    private enum Phase {
        case starting(String)
        case running
        case stopping
    }

    private struct State {
        var phase = Phase.starting("starting")
        var checks: [Check] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Says what the start is at.
    package func start(_ step: String) { state.withLock { $0.phase = .starting(step) } }

    /// Adds what must hold from now on.
    package func watch(_ checks: [Check]) { state.withLock { $0.checks += checks } }

    /// Every port is open.
    package func run() { state.withLock { $0.phase = .running } }

    /// A shutdown has begun: nothing more should be sent here. False when the start had not ended.
    @discardableResult
    package func stop() -> Bool {
        state.withLock { state in
            defer { state.phase = .stopping }
            if case .running = state.phase { return true }
            return false
        }
    }

    /// What the start is at; nil once it has ended.
    var step: String? {
        state.withLock { if case .starting(let step) = $0.phase { step } else { nil } }
    }

    /// Whether requests may be sent here, and what that is made of.
    struct Readiness {
        struct Item {
            let name: String
            let finding: Finding
        }

        let items: [Item]

        var isReady: Bool { failing.isEmpty }
        var failing: [String] {
            items.compactMap { if case .bad = $0.finding { $0.name } else { nil } }
        }
    }

    var readiness: Readiness {
        let state = state.withLock { $0 }
        let phase: Finding =
            switch state.phase {
            case .starting(let step): .bad("starting: \(step)")
            case .running: .good("running")
            case .stopping: .bad("stopping")
            }
        return Readiness(
            items: [.init(name: "phase", finding: phase)]
                + state.checks.map { .init(name: $0.name, finding: $0.examined) }
        )
    }
}
