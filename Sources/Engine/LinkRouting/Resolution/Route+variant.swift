extension Route {
    var asksForSignIn: Bool {
        guard case .answer(let target) = behaviour else { return false }
        return target.signIn == .required || experiment?.variants.contains { $0.target.signIn == .required } == true
    }

    /// Returns the target of the variant for a sticky key. Without a key, the first variant is used, unassigned.
    func assigned(_ target: RouteTarget, to stickyKey: String?) -> (RouteTarget, VariantAssignment?) {
        guard let experiment, let first = experiment.variants.first else { return (target, nil) }
        var taken = first
        if let stickyKey {
            let total = experiment.variants.reduce(0) { $0 + $1.weight }
            let point = Bucket.of(stickyKey, salt: experiment.salt) * total
            var sum = 0
            for variant in experiment.variants {
                sum += variant.weight
                taken = variant
                if point < sum * Bucket.count { break }
            }
        }
        let assignment = VariantAssignment(
            experiment: experiment.id,
            variant: taken.name,
            isAssigned: stickyKey != nil
        )
        return (taken.target, assignment)
    }
}
