/// A screen of the app with typed arguments, as declared in `screens` of a table.
public struct ScreenDeclaration: Sendable, Hashable {
    public var name: String
    /// A description for people, and for the comment in generated code.
    public var note: String?
    /// The arguments, in document order.
    public var arguments: [Argument]

    public struct Argument: Sendable, Hashable {
        public var name: String
        public var type: ArgumentType
        /// Whether links may open the screen without the argument.
        public var isOptional: Bool
        public var note: String?

        public init(name: String, type: ArgumentType, isOptional: Bool = false, note: String? = nil) {
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.note = note
        }
    }

    public init(name: String, note: String? = nil, arguments: [Argument] = []) {
        self.name = name
        self.note = note
        self.arguments = arguments
    }
}
