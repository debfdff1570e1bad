public import LinkRouting

/// The screens of a tenant's app, with typed arguments: as the table declares them, or inferred from its routes.
public struct ScreenCatalog: Sendable, Hashable {
    public let tenant: TenantID
    /// Sorted by name, so that a new order of routes does not change generated code.
    public let screens: [Screen]

    public struct Screen: Sendable, Hashable {
        public let name: String
        public let note: String?
        /// In the order of the declaration; sorted by name if they are inferred.
        public let arguments: [ScreenDeclaration.Argument]
        /// The routes that open the screen, in document order. Empty for a screen that only a stack or the fallback has.
        public let routes: [RouteID]
    }

    /// Reads the screens of a table without errors.
    ///
    /// Without `screens` in the table, a screen has all arguments that a route, a variant, a stack or the fallback gives
    /// it. An argument is optional if one of these lacks it, and its type accepts the values of all.
    public init(tenant: TenantID, table: RouteTable) {
        self.tenant = tenant
        var uses = ScreenUses()
        uses.add(table)
        let screens = table.screens ?? uses.declarations
        self.screens = screens.sorted { ExactText($0.name) < ExactText($1.name) }.map { screen in
            Screen(
                name: screen.name,
                note: screen.note,
                arguments: screen.arguments,
                routes: uses.routes[ExactText(screen.name)] ?? []
            )
        }
    }
}

/// The uses of screens by the routes of a table.
private struct ScreenUses {
    private var uses: [ExactText: Use] = [:]
    private(set) var routes: [ExactText: [RouteID]] = [:]

    private struct Use {
        var count = 0
        var arguments: [ExactText: (shape: ArgumentShape, count: Int)] = [:]
    }

    mutating func add(_ table: RouteTable) {
        for route in table.routes {
            guard case .answer(let target) = route.behaviour else { continue }
            let captured = route.capturedShapes
            for target in [target] + (route.experiment?.variants ?? []).map(\.target) {
                guard let open = target.open else { continue }
                add(open, captured)
                let key = ExactText(open.screen)
                if routes[key]?.last != route.id { routes[key, default: []].append(route.id) }
            }
        }
        if let open = table.defaults.fallback?.open { add(open, [:]) }
    }

    private mutating func add(_ open: Open, _ captured: [String: ArgumentShape]) {
        add(open.screen, open.arguments, captured)
        for entry in open.stack where entry.name != open.screen || !entry.arguments.isEmpty {
            add(entry.name, entry.arguments, captured)
        }
    }

    private mutating func add(_ name: String, _ arguments: [Open.Argument], _ captured: [String: ArgumentShape]) {
        var use = uses[ExactText(name)] ?? Use()
        use.count += 1
        for argument in arguments {
            guard let shape = argument.value.shape(captured) else { continue }
            let key = ExactText(argument.name)
            guard let earlier = use.arguments[key] else {
                use.arguments[key] = (shape, 1)
                continue
            }
            let joined = ArgumentShape(
                type: earlier.shape.type.joined(with: shape.type),
                mayBeMissing: earlier.shape.mayBeMissing || shape.mayBeMissing
            )
            use.arguments[key] = (joined, earlier.count + 1)
        }
        uses[ExactText(name)] = use
    }

    var declarations: [ScreenDeclaration] {
        uses.map { name, use in
            let arguments = use.arguments.sorted { $0.key < $1.key }.map { name, argument in
                ScreenDeclaration.Argument(
                    name: name.description,
                    type: argument.shape.type,
                    isOptional: argument.shape.mayBeMissing || argument.count < use.count
                )
            }
            return ScreenDeclaration(name: name.description, arguments: arguments)
        }
    }
}
