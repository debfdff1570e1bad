/// The screens of an app as one type. `fingerpost codegen swift` generates it from a tenant's table.
public protocol RoutedScreen: Hashable, Sendable {
    /// Reads a screen of an answer. Throws for a screen or an argument that the type does not know.
    init(_ arguments: ScreenArguments) throws(ScreenError)
}

extension RoutedScreen {
    /// Returns the screens that an answer leads to, from the bottom up. The last one is the screen to show. Empty if the
    /// answer has no place in the app.
    ///
    /// The action decides what to do with them: with `.signIn`, show them after the user has signed in.
    public static func path(of resolution: Resolution) throws(ScreenError) -> [Self] {
        guard let destination = resolution.destination else { return [] }
        return try path(of: destination)
    }

    /// Returns the screens of a destination, from the bottom up. Empty if it has no place in the app.
    public static func path(of destination: ResolvedDestination) throws(ScreenError) -> [Self] {
        guard let name = destination.screen else { return [] }
        let top = ResolvedDestination.Screen(name: name, arguments: destination.arguments)
        var path: [Self] = []
        for screen in destination.stack { path.append(try Self(ScreenArguments(screen))) }
        // A stack may end with the screen itself.
        if destination.stack.last != top { path.append(try Self(ScreenArguments(top))) }
        return path
    }
}
