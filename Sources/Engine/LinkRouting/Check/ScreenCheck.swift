/// Compares the screens that routes open with those that the table declares.
struct ScreenCheck {
    private let screens: [ExactText: Declared]
    private let names: [String]
    private var opened: Set<ExactText> = []
    /// The remaining work for suggestions, in comparisons of two bytes. Nobody reads thousands of suggestions.
    private var comparisonsLeft = 10_000_000

    init(_ screens: [ScreenDeclaration]) {
        self.screens = Dictionary(screens.map { (ExactText($0.name), Declared($0)) }) { first, _ in first }
        names = screens.map(\.name)
    }

    /// Checks a route and its variants.
    ///
    /// - Parameter path: The path of the route in the document.
    mutating func run(_ route: Route, path: String, _ findings: inout FindingList) {
        guard case .answer(let target) = route.behaviour else { return }
        let variants = route.experiment?.variants ?? []
        guard target.open != nil || variants.contains(where: { $0.target.open != nil }) else { return }
        let captured = route.capturedShapes
        check(target, captured, path: path, route: route.id, &findings)
        for (index, variant) in variants.enumerated() where variant.target.open != target.open {
            let path = "\(path).experiment.variants[\(index)]"
            check(variant.target, captured, path: path, route: route.id, &findings)
        }
    }

    /// Checks a target without captured parameters, such as the table's fallback.
    mutating func run(_ target: RouteTarget, path: String, _ findings: inout FindingList) {
        check(target, [:], path: path, route: nil, &findings)
    }

    /// Returns the finding that no route opens these screens; nil if all are opened.
    var unused: Finding? {
        let unused = names.filter { !opened.contains(ExactText($0)) }
        guard let first = unused.first else { return nil }
        return Finding(
            .unusedScreen,
            .info,
            path: "screens.\(first)",
            message: "No route opens these screens: \(unused.listed(first: 5)).",
            fix: "Keep them if the app opens them itself; otherwise remove them."
        )
    }

    private mutating func check(
        _ target: RouteTarget,
        _ captured: [String: ArgumentShape],
        path: String,
        route: RouteID?,
        _ findings: inout FindingList
    ) {
        guard let open = target.open else { return }
        var location = Location(path: "\(path).open", nameKey: "screen", route: route)
        check(open.screen, open.arguments, captured, at: location, &findings)
        // An entry with the name of the screen and without arguments has the screen's arguments.
        for (index, entry) in open.stack.enumerated() where entry.name != open.screen || !entry.arguments.isEmpty {
            location.path = "\(path).open.stack[\(index)]"
            check(entry.name, entry.arguments, captured, at: location, &findings)
        }
    }

    /// A declared screen, with its arguments by name.
    private struct Declared {
        let screen: ScreenDeclaration
        let arguments: [ExactText: ScreenDeclaration.Argument]

        init(_ screen: ScreenDeclaration) {
            self.screen = screen
            arguments = Dictionary(screen.arguments.map { (ExactText($0.name), $0) }) { first, _ in first }
        }
    }

    private struct Location {
        var path: String
        let nameKey: String
        let route: RouteID?

        func finding(_ code: Finding.Code, at key: String, _ message: String, _ fix: String) -> Finding {
            Finding(code, .error, path: "\(path).\(key)", route: route, message: message, fix: fix)
        }
    }

    private mutating func check(
        _ name: String,
        _ arguments: [Open.Argument],
        _ captured: [String: ArgumentShape],
        at location: Location,
        _ findings: inout FindingList
    ) {
        guard let declared = screens[ExactText(name)] else {
            findings.add(.unknownScreen) {
                location.finding(
                    .unknownScreen,
                    at: location.nameKey,
                    "The table declares no screen '\(name)'.",
                    "\(suggestion(for: name, among: names))Correct the name, or add the screen to 'screens'."
                )
            }
            return
        }
        opened.insert(ExactText(name))
        let screen = declared.screen
        for argument in arguments {
            guard let declaration = declared.arguments[ExactText(argument.name)] else {
                findings.add(.unknownArgument) { unknownArgument(argument.name, of: screen, at: location) }
                continue
            }
            if let finding = mismatch(argument, declaration, captured, of: name, at: location) {
                findings.add([finding])
            }
        }
        for argument in screen.arguments where !argument.isOptional {
            guard !arguments.contains(where: { $0.name.isExactly(argument.name) }) else { continue }
            findings.add(.missingArgument) {
                location.finding(
                    .missingArgument,
                    at: "arguments",
                    "The screen '\(name)' needs the argument '\(argument.name)' (\(argument.type)).",
                    "Add it, or declare it as optional: \(argument.type)?."
                )
            }
        }
    }

    private mutating func unknownArgument(
        _ name: String,
        of screen: ScreenDeclaration,
        at location: Location
    ) -> Finding {
        let names = screen.arguments.map(\.name)
        let known = names.isEmpty ? "It has no arguments. " : "Its arguments: \(names.listed(first: 20)). "
        return location.finding(
            .unknownArgument,
            at: "arguments.\(name)",
            "The screen '\(screen.name)' declares no argument '\(name)'.",
            "\(suggestion(for: name, among: names))\(known)Correct the name, or declare the argument."
        )
    }

    private func mismatch(
        _ argument: Open.Argument,
        _ declaration: ScreenDeclaration.Argument,
        _ captured: [String: ArgumentShape],
        of screen: String,
        at location: Location
    ) -> Finding? {
        let key = "arguments.\(argument.name)"
        if let value = argument.value.constant {
            guard !declaration.type.accepts(value) else { return nil }
            return location.finding(
                .mistypedArgument,
                at: key,
                "The argument '\(argument.name)' of '\(screen)' is \(declaration.type), but its value is "
                    + "\(DocumentField(value, path: "").shown).",
                "Write a value of this type, or correct the declaration."
            )
        }
        // A parameter that is not captured is a finding of its own.
        guard let shape = argument.value.shape(captured) else { return nil }
        guard declaration.type.accepts(shape.type) else {
            return location.finding(
                .mistypedArgument,
                at: key,
                "The argument '\(argument.name)' of '\(screen)' is \(declaration.type), but its value is \(shape.type).",
                "Give the captured parameter the type, or correct the declaration."
            )
        }
        guard shape.mayBeMissing, !declaration.isOptional else { return nil }
        return location.finding(
            .missingArgument,
            at: key,
            "The screen '\(screen)' needs the argument '\(argument.name)', but it is omitted for links without an "
                + "optional query item.",
            "Give the query item a default, such as \"int = 1\", or declare the argument as optional: "
                + "\(declaration.type)?."
        )
    }

    private mutating func suggestion(for name: String, among known: [String]) -> String {
        comparisonsLeft -= known.reduce(0) { $0 + $1.utf8.count } * min(name.utf8.count, 64)
        guard comparisonsLeft > 0 else { return "" }
        return name.nearest(among: known).map { "Did you mean '\($0)'? " } ?? ""
    }
}
