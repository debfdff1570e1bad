import LinkRouting

/// The parts of a route that depend on the install: the variant of its experiment, the minimum version, the rollout.
struct InstallText {
    private let route: Route
    private let answer: JSONNode

    /// - Parameter answer: The answer that names the route, as in `POST /resolve`.
    init(_ route: Route, _ answer: JSONNode) {
        self.route = route
        self.answer = answer
    }

    /// The name and the text of each part that the route has.
    var rows: [(name: String, text: String)] {
        [("experiment", experiment), ("app version", minimumVersion), ("rollout", rollout)].compactMap { name, text in
            text.map { (name, $0) }
        }
    }

    private var experiment: String? {
        guard let experiment = route.experiment, let chosen = answer["experiment"] else { return nil }
        let total = experiment.variants.reduce(0) { $0 + Double($1.weight) }
        let shares = experiment.variants.map { "\($0.name) \(Self.percent(Double($0.weight) / total * 100))" }
        let reason = chosen["assigned"]?.bool == true ? "" : ", because the context has no stickyKey"
        return "\(experiment.id): \(chosen["variant"]?.text ?? "")\(reason) (\(shares.joined(separator: ", ")))"
    }

    private var minimumVersion: String? {
        // Variants cannot have a minimum of their own.
        guard case .answer(let target) = route.behaviour else { return nil }
        let minimum: String
        switch target.minimumVersion {
        case .everyApp(let version): minimum = "from \(Self.text(version))"
        case .byApp(let versions):
            minimum = versions.map { "\($0.key): from \(Self.text($0.value))" }.sorted().joined(separator: ", ")
        case nil: return nil
        }
        return "\(minimum); older: asks for an update"
    }

    private var rollout: String? {
        let shares = route.when?.rollouts.map { Self.percent(Double($0.basisPoints) / 100) } ?? []
        return shares.isEmpty ? nil : "\(shares.joined(separator: ", ")) of the installs, by their stickyKey"
    }

    private static func text(_ minimum: MinimumVersion.Minimum) -> String {
        switch minimum {
        case .version(let version): "\(version)"
        case .build(let build): "build \(build)"
        }
    }

    /// With at most two decimals.
    private static func percent(_ share: Double) -> String {
        let hundredths = Int((share * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        guard rest > 0 else { return "\(whole)%" }
        let decimals = rest < 10 ? "0\(rest)" : rest % 10 == 0 ? "\(rest / 10)" : "\(rest)"
        return "\(whole).\(decimals)%"
    }
}

extension Condition {
    /// The rollouts in the condition, at any depth.
    fileprivate var rollouts: [Rollout] {
        switch self {
        case .rollout(let rollout): [rollout]
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.rollouts)
        case .not(let condition): condition.rollouts
        default: []
        }
    }
}
