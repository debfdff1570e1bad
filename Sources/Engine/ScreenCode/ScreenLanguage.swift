import LinkRouting

/// A language that screens can be generated in.
public enum ScreenLanguage: String, Sendable, CaseIterable {
    case swift, kotlin, typescript

    /// Returns a member's name, in backticks if it is a keyword.
    func member(_ name: String) -> String {
        switch self {
        case .swift: name.nameInSwift
        case .kotlin: name.nameInKotlin
        // TypeScript's names are properties, which are quoted.
        case .typescript: name.quotedForJavaScript
        }
    }

    /// Returns a text as a literal.
    func literal(_ text: String) -> String {
        switch self {
        case .swift: text.quotedForSwift
        case .kotlin: text.quotedForKotlin
        case .typescript: text.quotedForJavaScript
        }
    }
}
