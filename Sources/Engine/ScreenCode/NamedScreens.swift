import LinkRouting

/// The screens of a catalog with the names of their parts in a language whose names are identifiers.
struct NamedScreens {
    private(set) var screens: [Screen] = []
    private(set) var problems: [String] = []

    struct Screen {
        let screen: ScreenCatalog.Screen
        let name: String
        var arguments: [Argument] = []
    }

    struct Argument {
        let declaration: ScreenDeclaration.Argument
        let name: String
        let type: ValueType
    }

    enum ValueType {
        case plain(ArgumentType)
        /// A set of texts, with the name of its enum and of the enum's cases.
        case set(String, [(name: String, text: String)])
        indirect case list(ValueType)
    }

    /// The naming rules of a language.
    struct Style {
        /// Whether screens and enums of sets share a scope.
        let screensAreTypes: Bool
        let screen: (String) -> String
        let value: (String) -> String
        /// Names of types in the generated code.
        let types: Set<String>
        /// Names that an argument cannot have.
        let members: Set<String>
    }

    init(_ catalog: ScreenCatalog, _ style: Style) {
        var types = NameScope(reserved: style.types)
        var cases = NameScope()
        for screen in catalog.screens {
            let name =
                style.screensAreTypes
                ? types.name(screen.name, "screen", style.screen) : cases.name(screen.name, "screen", style.screen)
            var part = Screen(screen: screen, name: name)
            var names = NameScope(reserved: style.members)
            for argument in screen.arguments {
                let name = names.name(argument.name, "argument", Identifier.lowerCamel)
                let type = type(argument.type, of: screen.name, argument.name, style, &types)
                part.arguments.append(Argument(declaration: argument, name: name, type: type))
            }
            problems += names.problems.map { "Screen '\(screen.name)': \($0)" }
            screens.append(part)
        }
        problems = cases.problems + types.problems + problems
    }

    private mutating func type(
        _ type: ArgumentType,
        of screen: String,
        _ argument: String,
        _ style: Style,
        _ types: inout NameScope
    ) -> ValueType {
        switch type {
        case .list(let element): return .list(self.type(element, of: screen, argument, style, &types))
        case .oneOf(let texts):
            let name = types.name("\(screen).\(argument)", "type") { _ in
                Identifier.upperCamel(screen) + Identifier.upperCamel(argument)
            }
            var scope = NameScope()
            let values = texts.map { (scope.name($0, "value", style.value), $0) }
            problems += scope.problems.map { "Argument '\(argument)' of '\(screen)': \($0)" }
            return .set(name, values)
        case .string, .int, .number, .bool, .uuid, .date, .json: return .plain(type)
        }
    }
}

extension NamedScreens.Screen {
    /// The paragraphs of the comment.
    ///
    /// - Parameter argument: The line of an argument, from its name and its note.
    func comment(argument line: (String, String) -> String) -> [[String]] {
        screen.comment { argument in
            line(arguments.first { $0.declaration == argument }?.name ?? argument.name, argument.note ?? "")
        }
    }
}
