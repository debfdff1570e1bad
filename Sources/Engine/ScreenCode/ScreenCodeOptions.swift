public import LinkRouting

/// The names in generated code.
public struct ScreenCodeOptions: Sendable, Hashable {
    /// The name of the generated type, such as `ShopScreen`.
    public var typeName: String
    /// The package of Kotlin code.
    public var package: String
    public var access: Access

    /// The visibility of Swift code.
    public enum Access: String, Sendable, CaseIterable { case `internal`, `public` }

    public init(tenant: TenantID, package: String = "links", access: Access = .internal) {
        typeName = Identifier.upperCamel(tenant.rawValue) + "Screen"
        self.package = package
        self.access = access
    }

    /// Whether a text is a name that all three languages accept.
    package static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.count <= 128
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.isPartOfNames || $0 == "_")
            }
    }

    /// Whether a text is a name of a Kotlin package.
    package static func isPackage(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return parts.allSatisfy { isName($0) && $0.nameInKotlin == $0 }
    }
}

extension ScreenCatalog {
    /// Returns the code of the screens.
    public func code(
        in language: ScreenLanguage,
        _ options: ScreenCodeOptions
    ) throws(ScreenCodeError) -> String {
        // Swift compares texts by canonical equivalence, so no generated `switch` can tell such screens apart.
        var names: Set<String> = []
        var problems = screens.filter { !names.insert($0.name).inserted }.map { screen in
            "Two screens have the equivalent names '\(screen.name)'; rename one."
        }
        let text: String
        switch language {
        case .swift:
            let code = SwiftScreenCode(self, options)
            problems += code.problems
            text = code.text
        case .kotlin:
            let code = KotlinScreenCode(self, options)
            problems += code.problems
            text = code.text
        case .typescript:
            text = TypeScriptScreenCode(self, options).text
        }
        guard problems.isEmpty else { throw ScreenCodeError(problems: problems) }
        return text
    }
}
