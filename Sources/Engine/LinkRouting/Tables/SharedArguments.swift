/// Interns argument lists, such as `{id: "{id}"}`, that several routes of a table share, to save memory.
struct SharedArguments {
    private var lists: Set<[Open.Argument]> = []

    /// Replaces the route's argument list by an equal list of an earlier route, if there is one.
    mutating func share(with route: inout Route) {
        guard case .answer(var target) = route.behaviour, var open = target.open, Self.canBeShared(open.arguments)
        else {
            return
        }
        let (isNew, list) = lists.insert(open.arguments)
        guard !isNew else { return }
        open.arguments = list
        target.open = open
        route.behaviour = .answer(target)
    }

    /// Only ASCII texts are safe to share, because other equal strings may differ in their bytes. Constants are not
    /// shared, because they carry their source positions.
    private static func canBeShared(_ arguments: [Open.Argument]) -> Bool {
        !arguments.isEmpty
            && arguments.allSatisfy { argument in
                guard case .template(let template) = argument.value else { return false }
                return argument.name.utf8.allSatisfy { $0 < 0x80 }
                    && template.description.utf8.allSatisfy { $0 < 0x80 }
            }
    }
}
