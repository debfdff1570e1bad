import Synchronization

/// The phase of the process, and whether it is ready for requests.
package final class Health: Sendable {
    /// A condition for readiness.
    package struct Check: Sendable {
        let name: String
        private let examine: @Sendable () -> Finding

        /// - Parameter examine: Must return at once, even if the disk hangs.
        package init(_ name: String, _ examine: @escaping @Sendable () -> Finding) {
            self.name = name
            self.examine = examine
        }

        /// The current finding.
        package var examined: Finding { examine() }
    }

    /// The result of a check, with a detail for people.
    package enum Finding: Sendable, Hashable {
        case good(String)
        /// The process answers requests, but needs attention.
        case degraded(String)
        /// The process is not ready for requests.
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

    /// Sets the current step of the start.
    package func start(_ step: String) { state.withLock { $0.phase = .starting(step) } }

    /// Adds conditions for readiness.
    package func watch(_ checks: [Check]) { state.withLock { $0.checks += checks } }

    /// Marks the process as running; called when every port is open.
    package func run() { state.withLock { $0.phase = .running } }

    /// Marks the process as stopping, and so as not ready. Returns false if the start had not completed.
    @discardableResult
    package func stop() -> Bool {
        state.withLock { state in
            defer { state.phase = .stopping }
            if case .running = state.phase { return true }
            return false
        }
    }

    /// The current step of the start; nil once it has completed.
    package var step: String? {
        state.withLock { if case .starting(let step) = $0.phase { step } else { nil } }
    }

    /// Whether the process is ready for requests, and the findings that decide it.
    package struct Readiness {
        package struct Item {
            package let name: String
            package let finding: Finding
        }

        package let items: [Item]

        package var isReady: Bool { failing.isEmpty }
        package var failing: [String] {
            items.compactMap { if case .bad = $0.finding { $0.name } else { nil } }
        }
        package var degraded: [String] {
            items.compactMap { if case .degraded = $0.finding { $0.name } else { nil } }
        }
    }

    package var readiness: Readiness {
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
