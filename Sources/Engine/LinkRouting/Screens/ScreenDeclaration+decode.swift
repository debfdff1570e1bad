extension ScreenDeclaration {
    package static let keys = ["note", "arguments"]
    /// Maximum number of screens.
    static let maximumScreens = 10_000
    /// Maximum number of arguments of a screen.
    static let maximumArguments = 100
    /// Maximum length of the name of a screen or an argument, in Unicode scalars.
    static let maximumNameLength = 128

    /// Reads `{Item: {note, arguments}, …}`.
    static func all(_ field: DocumentField) throws(DocumentError) -> [ScreenDeclaration] {
        let members = try field.anyObject().all
        guard members.count <= maximumScreens else {
            throw field.error("'screens' has \(members.count) screens; at most \(maximumScreens) are allowed.")
        }
        var screens: [ScreenDeclaration] = []
        screens.reserveCapacity(members.count)
        for (name, field) in members {
            try checkName(name, field)
            screens.append(try ScreenDeclaration(name: name, field))
        }
        return screens
    }

    private init(name: String, _ field: DocumentField) throws(DocumentError) {
        let object = try field.object(Self.keys)
        self.init(name: name, note: try object["note"]?.text())
        guard let arguments = object["arguments"] else { return }
        let members = try arguments.anyObject().all
        guard members.count <= Self.maximumArguments else {
            throw arguments.error("a screen can have at most \(Self.maximumArguments) arguments.")
        }
        for (name, field) in members {
            try Self.checkName(name, field)
            self.arguments.append(try Argument(name: name, field))
        }
    }

    private static func checkName(_ name: String, _ field: DocumentField) throws(DocumentError) {
        guard !name.isEmpty else { throw field.error("a name is empty; write one.") }
        guard name.unicodeScalars.count <= maximumNameLength else {
            throw field.error("a name has more than \(maximumNameLength) characters; write a shorter one.")
        }
    }
}

extension ScreenDeclaration.Argument {
    package static let keys = ["type", "note"]
    private static let maximumTypeBytes = 8_192

    /// Reads a type such as `int` or `int?`, or `{type, note}`.
    fileprivate init(name: String, _ field: DocumentField) throws(DocumentError) {
        guard field.node.text == nil else {
            try self.init(name: name, type: field, note: nil)
            return
        }
        guard field.node.members != nil else {
            throw field.error(
                "\(field.shownKind); write a type such as int, string? or \"(list,detail)\"."
            )
        }
        let object = try field.object(Self.keys)
        try self.init(name: name, type: try object.required("type"), note: try object["note"]?.text())
    }

    /// A type that ends with `?` is that of an optional argument.
    private init(name: String, type field: DocumentField, note: String?) throws(DocumentError) {
        let text = try field.text()
        guard text.utf8.count <= Self.maximumTypeBytes else {
            throw field.error("a type can have at most \(Self.maximumTypeBytes) bytes; use 'string'.")
        }
        let isOptional = text.hasSuffix("?")
        do throws(ArgumentType.SyntaxError) {
            let type = try ArgumentType(isOptional ? text.dropLast() : text[...])
            self.init(name: name, type: type, isOptional: isOptional, note: note)
        } catch {
            throw field.error(error.description)
        }
    }
}
