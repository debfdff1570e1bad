/// Lists of arguments that several routes of a table have, such as `{id: "{id}"}`: kept in memory once.
struct SharedArguments {
    private var lists: Set<[Open.Argument]> = []

    /// Lets the route have the list of an earlier one, where that is the same.
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

    /// Texts that are equal have the same bytes only in ASCII, and constants know where they were read.
    private static func canBeShared(_ arguments: [Open.Argument]) -> Bool {
        !arguments.isEmpty
            && arguments.allSatisfy { argument in
                guard case .template(let template) = argument.value else { return false }
                return argument.name.utf8.allSatisfy { $0 < 0x80 }
                    && template.description.utf8.allSatisfy { $0 < 0x80 }
            }
    }
}
